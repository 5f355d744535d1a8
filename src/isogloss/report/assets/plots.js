"use strict";
// Draws the page's figures: unpacks Plotly and each figure's data, then legends, facets, themes and downloads.
const Isogloss = { plots: [] };

// A figure in print, in pixels. A figure that does not fit is moved to the next page and leaves a hole behind, so they
// are low: two of them with heading, text and caption fill a page. Figures with a row per name may be taller.
Isogloss.PAPER = { width: 680, beside: 316, gap: 8, height: 220, map: 260, shrink: 0.6, least: 180, tallest: 360 };
Isogloss.ROWS = ["heatmap", "bars", "dendrogram", "tree"].map((kind) => `.kind-${kind}`).join(", ");

Isogloss.unpack = async (id) => {
  const binary = atob(document.getElementById(id).textContent.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
};

Isogloss.read = async (id) => {
  const content = JSON.parse(await Isogloss.unpack(id));
  return { ...content, columns: unpackColumns(content.columns) };
};

Isogloss.isDark = () => {
  const chosen = document.documentElement.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
};

Isogloss.recolour = (value, table) => {
  if (typeof value === "string") return table[value] ?? value;
  if (Array.isArray(value)) {
    // Long runs of numbers hold no colours; a step of a colour scale is a pair of a number and a colour.
    return typeof value[0] === "number" && value.length > 2 ? value : value.map((part) => Isogloss.recolour(part, table));
  }
  if (value === null || typeof value !== "object" || ArrayBuffer.isView(value)) return value;
  const copy = {};
  for (const key of Object.keys(value)) {
    copy[key] = key === "hovertext" || key === "text" || key === "customdata" ? value[key] : Isogloss.recolour(value[key], table);
  }
  return copy;
};

class Plot {
  constructor(element, content, settings) {
    this.element = element;
    this.content = content;
    this.settings = settings;
    this.facet = content.start;
    this.hidden = content.legends.map(() => new Set());
    this.fill = content.grid ? gridReader(content) : null;
    this.filled = new Map();
    this.areas = content.panels.map(() => {
      const area = document.createElement("div");
      area.className = "panel";
      element.querySelector(".panels").append(area);
      return area;
    });
    this.buildLegends();
    this.watchFacet();
    element.querySelectorAll("[data-image]").forEach((button) => {
      button.addEventListener("click", () => this.downloadImages(button.dataset.image));
    });
  }

  // Everything but Plotly's last touches happens before this returns, so that a page can be redrawn for printing.
  draw(print = false) {
    const dark = Isogloss.isDark();
    const touch = matchMedia("(pointer: coarse)").matches;
    const drawn = this.areas.map((area, place) => {
      const { data, layout } = this.styled(place, dark);
      if (touch) layout.dragmode = false;
      if (print) layout.width = this.paperWidth();
      this.fitWidth(layout, data, layout.width ?? area.clientWidth);
      if (print) this.fitPaper(layout);
      if ("small" in this.element.dataset) this.makeSmall(layout);
      return window.Plotly.react(area, data, layout, {
        responsive: true, displayModeBar: false, displaylogo: false, showTips: false,
      });
    });
    this.element.querySelector(".panels").style.minHeight = 0; // it kept the place until the plot was there
    this.element.dataset.drawn = dark ? "dark" : "light";
    return Promise.all(drawn);
  }

  styled(place, dark) {
    const panel = this.content.panels[place];
    const table = dark ? this.settings.colours : {};
    const layout = Isogloss.recolour(panel.layout, table);
    layout.template = dark ? this.settings.dark : this.settings.light;
    layout.showlegend = false;
    layout.autosize = true;
    delete layout.width;
    return { data: Isogloss.recolour(this.shown(place), table), layout };
  }

  // Beside a claim on the first screen: low, with small type, and no hover of its own.
  makeSmall(layout) {
    layout.height = 200;
    layout.font = { size: 10 };
    layout.margin = { l: 40, r: 6, t: 6, b: 32 };
    for (const axis of [layout.xaxis, layout.yaxis]) if (axis?.title?.text) axis.title = { ...axis.title, font: { size: 10 }, standoff: 4 };
  }

  // What a panel has on paper: the page's width, shared with the panels or the claim beside it.
  paperWidth() {
    const { width, beside, gap } = Isogloss.PAPER;
    if ("small" in this.element.dataset) return beside;
    const widest = parseFloat(this.element.style.getPropertyValue("--width")) || width;
    return Math.floor((Math.min(width, widest) - gap * (this.areas.length - 1)) / this.areas.length);
  }

  fitPaper(layout) {
    const { height, map, shrink, least, tallest } = Isogloss.PAPER;
    layout.font = { ...layout.font, size: 11 };
    layout.margin = { ...layout.margin, t: Math.min(layout.margin?.t ?? 8, 28), b: Math.min(layout.margin?.b ?? 40, 40) };
    for (const axis of [layout.xaxis, layout.yaxis]) if (axis?.title?.text) axis.title = { ...axis.title, font: { size: 11 }, standoff: 4 };
    if (layout.meta?.aspect) layout.height = Math.min(layout.height, map);
    else if (this.element.matches(Isogloss.ROWS)) layout.height = Math.min(Math.max(Math.round(layout.height * shrink), least), tallest);
    else layout.height = Math.min(layout.height, height);
  }

  // Maps keep their proportions; phones get smaller type and margins.
  fitWidth(layout, data, width) {
    if (layout.meta?.aspect) layout.height = Math.min(layout.height, Math.round(width * layout.meta.aspect) + (layout.meta.around ?? 60));
    if (width >= 520) return;
    const named = data.filter((trace) => trace.mode === "markers+text");
    if (named.reduce((sum, trace) => sum + trace.x.length, 0) > 8) {
      for (const trace of named) trace.mode = "markers"; // names would cover each other
    }
    layout.font = { size: 11 };
    layout.margin = { ...layout.margin, l: Math.min(layout.margin?.l ?? 44, 44), r: 8 };
    for (const trace of layout.annotations ?? []) trace.font = { ...trace.font, size: 10 };
  }

  // The traces of the chosen facet, without what the legends hide.
  shown(place) {
    const chosen = this.content.panels[place].data.filter((trace) => !this.facet || trace.meta?.facet === this.facet);
    const traces = this.fill ? chosen.map((trace) => this.withCells(trace)) : chosen;
    if (!this.content.legends.length) return traces;
    if (this.content.linked) return traces.map((trace) => this.withoutHidden(trace));
    return traces.filter((trace) => !this.hidden[0].has(trace.meta?.series));
  }

  withCells(trace) {
    if (!this.filled.has(trace)) this.filled.set(trace, this.fill(trace));
    return this.filled.get(trace);
  }

  withoutHidden(trace) {
    const kept = trace.customdata.map((codes) =>
      codes.every((code, legend) => !this.hidden[legend].has(this.content.legends[legend].items[code].name)));
    const pick = (values) => values.filter((_, index) => kept[index]);
    return { ...trace, x: pick(trace.x), y: pick(trace.y), customdata: pick(trace.customdata), hovertext: pick(trace.hovertext) };
  }

  buildLegends() {
    const home = this.element.querySelector(".legends");
    this.content.legends.forEach((legend, place) => {
      const group = document.createElement("div");
      group.className = "legend";
      group.setAttribute("role", "group");
      group.setAttribute("aria-label", `Show or hide by ${legend.title}`);
      for (const item of legend.items) group.append(this.legendButton(legend, item, place));
      const all = document.createElement("button");
      all.type = "button";
      all.className = "all";
      all.textContent = "show all";
      all.hidden = true;
      all.addEventListener("click", () => this.hide(place, new Set()));
      group.append(all);
      home.append(group);
    });
  }

  legendButton(legend, item, place) {
    const button = document.createElement("button");
    button.type = "button";
    button.dataset.series = item.name;
    button.setAttribute("aria-pressed", "true");
    button.title = "Click to hide or show, double-click to see it alone";
    const key = document.createElement("span");
    key.className = `key ${item.style.dash} ${item.style.symbol}`;
    key.dataset.colour = item.style.colour;
    const name = document.createElement("span");
    name.textContent = item.name;
    button.append(key, name);
    button.addEventListener("click", () => {
      const hidden = new Set(this.hidden[place]);
      if (!hidden.delete(item.name)) hidden.add(item.name);
      this.hide(place, hidden);
    });
    button.addEventListener("dblclick", () => {
      const others = legend.items.map((other) => other.name).filter((other) => other !== item.name);
      const alone = others.every((other) => this.hidden[place].has(other));
      this.hide(place, new Set(alone ? [] : others));
    });
    return button;
  }

  hide(place, hidden) {
    this.hidden[place] = hidden;
    const group = this.element.querySelectorAll(".legend")[place];
    group.querySelectorAll("[data-series]").forEach((button) => {
      button.setAttribute("aria-pressed", String(!hidden.has(button.dataset.series)));
    });
    group.querySelector(".all").hidden = hidden.size === 0;
    this.draw();
  }

  paintKeys(dark) {
    const form = (colour) => (dark && this.settings.colours[colour]) || colour;
    const ramp = this.element.querySelector(".ramp");
    if (ramp) ramp.style.background = `linear-gradient(to right, ${this.content.scale.colours.map(form).join(", ")})`;
    this.element.querySelectorAll(".key").forEach((key) => {
      key.style.color = form(key.dataset.colour);
    });
  }

  watchFacet() {
    const control = this.element.querySelector(".facet select, .facet input");
    if (!control) return;
    const name = this.element.querySelector(".facet output");
    control.addEventListener("input", () => {
      this.facet = this.content.facets[Number(control.value)];
      if (name) name.textContent = this.facet;
      if (control.type === "range") control.setAttribute("aria-valuetext", this.facet);
      this.draw();
    });
  }

  // Files for papers are light whatever the page is, with Plotly's own legend inside.
  async downloadImages(format) {
    for (let place = 0; place < this.areas.length; place++) {
      const { data, layout } = this.styled(place, false);
      const names = new Set();
      for (const trace of data) {
        const name = trace.meta?.series;
        trace.showlegend = Boolean(name) && trace.showlegend !== false && !names.has(name);
        if (trace.showlegend) names.add(name);
      }
      showColourBars(data, layout);
      layout.showlegend = names.size > 1;
      layout.legend = { orientation: "h", y: -0.16, yanchor: "top" };
      layout.paper_bgcolor = "#ffffff";
      const size = { width: 900, height: layout.height + (names.size > 1 ? 60 : 0) + (this.content.scale ? 48 : 0) };
      const url = await window.Plotly.toImage({ data, layout: { ...layout, ...size } }, { format, scale: format === "png" ? 2 : 1, ...size });
      const suffix = this.areas.length > 1 ? `-${place + 1}` : "";
      Isogloss.save(`${this.content.name}${suffix}.${format}`, await Isogloss.blobOf(url));
    }
  }
}

// Plotly answers with a data address; fetching one is forbidden by the page's policy, so it is read by hand.
Isogloss.blobOf = async (url) => {
  const [head, body] = [url.slice(5, url.indexOf(",")), url.slice(url.indexOf(",") + 1)];
  if (!head.endsWith(";base64")) return new Blob([decodeURIComponent(body)], { type: head.split(";")[0] });
  const binary = atob(body);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return new Blob([bytes], { type: head.split(";")[0] });
};

Isogloss.save = (name, blob) => {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
};

Isogloss.loadPlotly = async () => {
  const script = document.createElement("script");
  script.textContent = await Isogloss.unpack("plotly-js");
  document.head.append(script);
  if (!window.Plotly) throw new Error("Plotly did not start");
};

Isogloss.drawAll = async () => {
  const elements = [...document.querySelectorAll("[data-plot]")];
  if (!elements.length) return;
  await Isogloss.loadPlotly();
  const settings = JSON.parse(await Isogloss.unpack("plot-settings"));
  for (const element of elements) {
    const content = await Isogloss.read(element.dataset.plot);
    const plot = new Plot(element, content, settings);
    Isogloss.plots.push(plot);
    plot.paintKeys(Isogloss.isDark());
    await plot.draw();
    await new Promise((resolve) => setTimeout(resolve));
  }
};

Isogloss.redraw = (print = false) => {
  for (const plot of Isogloss.plots) {
    plot.paintKeys(Isogloss.isDark());
    plot.draw(print);
  }
};
