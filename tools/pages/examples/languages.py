from isogloss.languages import known_languages, language, try_language

german = language("ger")  # also de, deu, deu_Latn, German
print(german.code, german.name, german.family, german.genus, german.script)
print(language("zho-TW").code)  # zh-Hant
try_language("jp")  # None: language("jp") would ask whether ja was meant
print(len(known_languages()))
