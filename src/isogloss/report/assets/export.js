// Draws one figure for a paper: light, with Plotly's own legend and colour bar, nothing interactive.
const unpack = async (id) => {
  const binary = atob(document.getElementById(id).textContent.trim());
  const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
};

const prepare = ({ data, layout }, { content, template, width, height }) => {
  const traces = data.filter((trace) => !content.start || trace.meta?.facet === content.start);
  const names = new Set();
  for (const trace of traces) {
    const name = trace.meta?.series;
    trace.showlegend = Boolean(name) && trace.showlegend !== false && !names.has(name);
    if (trace.showlegend) names.add(name);
  }
  showColourBars(traces, layout);
  return {
    data: traces,
    layout: {
      ...layout, template, width, height, paper_bgcolor: "#ffffff",
      showlegend: names.size > 1, legend: { orientation: "h", y: -0.14, yanchor: "top" },
    },
  };
};

const run = async () => {
  const script = document.createElement("script");
  script.textContent = await unpack("plotly-js");
  document.head.append(script);
  const settings = JSON.parse(await unpack("settings"));
  const figures = settings.content.panels.map((panel) => prepare(panel, settings));
  const area = document.getElementById("panels");
  for (const figure of figures) {
    const home = document.createElement("div");
    area.append(home);
    await window.Plotly.newPlot(home, figure.data, figure.layout, { staticPlot: true });
  }
  if (settings.kind !== "pdf") {
    const scale = settings.kind === "png" ? 3 : 1;
    const { width, height } = settings;
    for (const figure of figures) {
      const picture = document.createElement("pre");
      picture.className = "picture";
      picture.textContent = await window.Plotly.toImage(figure, { format: settings.kind, width, height, scale });
      document.body.append(picture);
    }
  }
};

run();
