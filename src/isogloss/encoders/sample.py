"""Short sentences in eight languages and five scripts, written for Isogloss: natural text to probe a model with."""

SAMPLE: dict[str, tuple[str, ...]] = {
    "en": (
        "The train to the coast leaves at seven and takes almost three hours.",
        "She has never liked the taste of strong coffee.",
        "Our neighbours are painting their house yellow this week.",
        "If it rains tomorrow, the match will be played next Sunday instead.",
    ),
    "de": (
        "Der Bäcker an der Ecke öffnet schon um fünf Uhr.",
        "Wir haben den Schlüssel gestern im Garten verloren.",
        "Die Rechnung war viel höher, als der Mechaniker gesagt hatte.",
        "Meine Großmutter erzählt gern von ihrer Reise nach Norwegen.",
    ),
    "es": (
        "El museo cierra los lunes, pero el parque está abierto todo el año.",
        "Nadie sabe por qué el perro ladra por la noche.",
        "Mi hermano trabaja en una fábrica de zapatos cerca del puerto.",
        "Compré dos kilos de naranjas y un poco de queso.",
    ),
    "ru": (
        "Зимой озеро замерзает, и дети катаются на коньках.",
        "Он забыл зонтик в автобусе и промок до нитки.",
        "Эта книга стоит дороже, чем я думал.",
        "Завтра утром мы поедем к сестре в деревню.",
    ),
    "zh": (
        "图书馆旁边新开了一家面馆。",
        "他每天骑自行车去上班。",
        "这部电影太长了，我看到一半就睡着了。",
        "昨天晚上下了很大的雪，路上很滑。",
    ),
    "ar": (
        "يفتح السوق القديم أبوابه كل صباح.",
        "نسيت أختي هاتفها في المطبخ.",
        "هذا الطريق أقصر لكنه مليء بالسيارات.",
        "يحب الأطفال اللعب على الشاطئ في الصيف.",
    ),
    "hi": (
        "मेरे पिता हर सुबह बगीचे में टहलते हैं।",
        "यह गाड़ी दिल्ली कितने बजे पहुँचेगी?",
        "उसने बाज़ार से ताज़ी सब्ज़ियाँ खरीदीं।",
        "बारिश के बाद आसमान बिल्कुल साफ़ हो गया।",
    ),
    "id": (
        "Harga beras naik lagi bulan ini.",
        "Ibu sedang memasak ikan di dapur.",
        "Kami menunggu bus selama satu jam di depan sekolah.",
        "Pulau itu terkenal karena pantainya yang bersih.",
    ),
}
