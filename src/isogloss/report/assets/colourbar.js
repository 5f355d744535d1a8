"use strict";
// Shows the colour bars of a picture. Plotly moves the axes' titles when a bar that lies has a title: a note takes its place.
const showColourBars = (data, layout) => {
  for (const trace of data) {
    const holder = trace.marker?.showscale === false ? trace.marker : trace;
    if (holder.showscale !== false) continue;
    holder.showscale = true;
    const title = { text: holder.colorbar?.title?.text ?? "", x: 0, y: 1, xref: "paper", yref: "paper", yshift: 42 };
    holder.colorbar = { ...holder.colorbar, title: { text: "" } };
    layout.annotations = [
      ...(layout.annotations ?? []),
      { ...title, showarrow: false, xanchor: "left", yanchor: "bottom", font: { size: 12 } },
    ];
    layout.margin = { ...layout.margin, t: 78 };
    return;
  }
};
