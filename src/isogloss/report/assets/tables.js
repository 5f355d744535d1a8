"use strict";
// Tables: sorting, intervals on demand, and downloads of the data behind tables and figures.
Isogloss.sortable = (table) => {
  const body = table.tBodies[0];
  const original = [...body.rows];
  table.querySelectorAll("thead button").forEach((button) => {
    const head = button.closest("th");
    button.addEventListener("click", () => {
      const next = { none: "descending", descending: "ascending", ascending: "none" }[head.getAttribute("aria-sort") ?? "none"];
      table.querySelectorAll("thead th").forEach((other) => other.setAttribute("aria-sort", "none"));
      head.setAttribute("aria-sort", next);
      const rows = next === "none" ? original : Isogloss.sorted(original, head.cellIndex, next);
      body.append(...rows);
    });
  });
};

Isogloss.sorted = (rows, column, direction) => {
  const value = (row) => row.cells[column].dataset.value;
  const numeric = rows.every((row) => value(row) === "" || !Number.isNaN(Number(value(row))));
  const compare = numeric
    ? (a, b) => Number(a) - Number(b)
    : (a, b) => a.localeCompare(b, undefined, { numeric: true });
  const filled = rows.filter((row) => value(row) !== "");
  const missing = rows.filter((row) => value(row) === "");
  const sign = direction === "ascending" ? 1 : -1;
  filled.sort((a, b) => sign * compare(value(a), value(b)));
  return [...filled, ...missing];
};

// A table wider than the screen fades where it goes on, and says so.
Isogloss.hintScroll = (scroll) => {
  const mark = () => {
    scroll.classList.toggle("more", scroll.scrollWidth - scroll.clientWidth - scroll.scrollLeft > 4);
    if (scroll.scrollLeft > 4) scroll.classList.add("moved");
  };
  scroll.addEventListener("scroll", mark, { passive: true });
  new ResizeObserver(mark).observe(scroll);
  mark();
};

Isogloss.csv = (columns) => {
  const cell = (value) => {
    let text = value === null ? "" : String(value);
    // Text that begins like a formula gets a quote, so that no spreadsheet computes it (studies/csv_text.py).
    if (typeof value === "string" && /^ *[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]/.test(value)) text = `'${text}`;
    return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  const lines = [columns.map(([name]) => cell(name)).join(",")];
  const length = columns.length ? columns[0][1].length : 0;
  for (let row = 0; row < length; row++) lines.push(columns.map(([, values]) => cell(values[row])).join(","));
  return lines.join("\n") + "\n";
};

Isogloss.MOST_ROWS = 200;

Isogloss.showData = (details, columns) => {
  const total = columns.length ? columns[0][1].length : 0;
  const table = document.createElement("table");
  const heads = table.createTHead().insertRow();
  for (const [name] of columns) {
    const head = document.createElement("th");
    head.scope = "col";
    head.textContent = name;
    heads.append(head);
  }
  const body = table.createTBody();
  for (let row = 0; row < Math.min(total, Isogloss.MOST_ROWS); row++) {
    const line = body.insertRow();
    for (const [, values] of columns) line.insertCell().textContent = values[row] === null ? "" : String(values[row]);
  }
  const note = document.createElement("p");
  note.className = "note";
  note.textContent = total > Isogloss.MOST_ROWS
    ? `The first ${Isogloss.MOST_ROWS} of ${total.toLocaleString("en")} rows; the CSV has them all.`
    : `${total} rows.`;
  const scroll = document.createElement("div");
  scroll.className = "scroll";
  scroll.tabIndex = 0;
  scroll.append(table);
  details.append(scroll, note);
};

Isogloss.startDownloads = (element) => {
  let content = null;
  const load = async () => (content ??= await Isogloss.read(element.dataset.plot ?? element.dataset.table));
  element.querySelectorAll("[data-save]").forEach((button) => {
    button.addEventListener("click", async () => {
      const { name, columns, latex } = await load();
      const [suffix, text] = button.dataset.save === "csv" ? ["csv", Isogloss.csv(columns)] : ["tex", latex];
      Isogloss.save(`${name}.${suffix}`, new Blob([text], { type: "text/plain;charset=utf-8" }));
    });
  });
  const details = element.querySelector("details.data");
  details?.addEventListener("toggle", async () => {
    if (details.open && !details.querySelector("table")) Isogloss.showData(details, (await load()).columns);
  });
};
