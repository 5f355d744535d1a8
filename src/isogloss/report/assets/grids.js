"use strict";
// Tables as the page packs them, and the cells of large heat maps, which are made from those tables.
const unpackColumns = (columns) => columns.map(([name, values]) =>
  [name, Array.isArray(values) ? values : values.places.map((place) => values.levels[place])]);

// Numbers as table_layout.format_number writes them.
const numberWriter = (decimals, useGrouping = true) => {
  const format = new Intl.NumberFormat("en-US", { minimumFractionDigits: decimals, maximumFractionDigits: decimals, useGrouping });
  return (value) => {
    if (value === null) return "–";
    const text = format.format(Math.abs(value));
    return value < 0 && /[1-9]/.test(text) ? `−${text}` : text;
  };
};

// Each value's place on an axis: the order in which values first appear.
const placesOf = (values) => {
  const places = new Map();
  for (const value of values) if (!places.has(value)) places.set(value, places.size);
  return places;
};

const gridReader = ({ columns, grid }) => {
  const found = new Map(columns);
  const [x, y, value] = [grid.x, grid.y, grid.value].map((name) => found.get(name));
  const [low, high, n] = [grid.low, grid.high, grid.n].map((name) => (name ? found.get(name) : null));
  const [across, down] = [placesOf(x), placesOf(y)];
  const write = grid.integers ? numberWriter(0, "min2") : numberWriter(grid.decimals);
  const [ends, count] = [numberWriter(grid.decimals), numberWriter(0)];
  return (trace) => {
    const z = trace.y.map(() => new Array(trace.x.length).fill(null));
    const hovertext = trace.y.map(() => new Array(trace.x.length).fill(""));
    for (let row = trace.meta.rows[0]; row < trace.meta.rows[1]; row++) {
      const [i, j] = [down.get(y[row]), across.get(x[row])];
      z[i][j] = value[row];
      const lines = [`<b>${trace.y[i]}</b>`, `${grid.across} ${trace.x[j]}`, `${grid.title}: ${write(value[row])}`];
      if (low && high && low[row] !== null) lines.push(`interval [${ends(low[row])}, ${ends(high[row])}]`);
      if (n && n[row] !== null) lines.push(`n = ${count(Math.trunc(n[row]))}`);
      hovertext[i][j] = lines.join("<br>");
    }
    return { ...trace, z, hovertext, hovertemplate: "%{hovertext}<extra></extra>" };
  };
};
