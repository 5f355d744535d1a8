"use strict";
// The page's own controls, and the order in which things start.
Isogloss.startTheme = () => {
  const button = document.getElementById("theme");
  const say = () => {
    const dark = Isogloss.isDark();
    button.setAttribute("aria-pressed", String(dark));
    button.querySelector("span").textContent = dark ? "Light" : "Dark";
  };
  button.addEventListener("click", () => {
    const choice = Isogloss.isDark() ? "light" : "dark";
    document.documentElement.dataset.theme = choice;
    try {
      localStorage.setItem("isogloss-theme", choice);
    } catch (error) {
      // Storage may be forbidden for local files; the choice then lasts as long as the page.
    }
    say();
    Isogloss.redraw();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    say();
    Isogloss.redraw();
  });
  say();
};

Isogloss.startPrinting = () => {
  let before, folded;
  addEventListener("beforeprint", () => {
    folded = document.querySelectorAll("details.rest:not([open])");
    folded.forEach((details) => (details.open = true));
    before = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    Isogloss.redraw(true);
  });
  addEventListener("afterprint", () => {
    folded.forEach((details) => (details.open = false));
    if (before) document.documentElement.dataset.theme = before;
    else delete document.documentElement.dataset.theme;
    document.body.classList.remove("print-one");
    document.querySelectorAll(".print-me").forEach((element) => element.classList.remove("print-me"));
    Isogloss.redraw();
  });
  document.querySelectorAll("[data-print]").forEach((button) => {
    button.addEventListener("click", () => {
      document.body.classList.add("print-one");
      button.closest("[data-plot]").classList.add("print-me");
      print();
    });
  });
};

Isogloss.startCopying = () => {
  document.querySelectorAll("[data-copy]").forEach((button) => {
    button.addEventListener("click", async () => {
      const source = document.getElementById(button.dataset.copy);
      try {
        await navigator.clipboard.writeText(source.textContent);
        button.textContent = "Copied";
      } catch (error) {
        getSelection().selectAllChildren(source);
        button.textContent = "Selected";
      }
      setTimeout(() => { button.textContent = "Copy"; }, 2000);
    });
  });
};

Isogloss.start = async () => {
  Isogloss.startTheme();
  Isogloss.startPrinting();
  Isogloss.startCopying();
  document.querySelectorAll("table.sortable").forEach(Isogloss.sortable);
  document.querySelectorAll(".table .scroll").forEach(Isogloss.hintScroll);
  document.querySelectorAll("[data-plot], [data-table]").forEach(Isogloss.startDownloads);
  document.querySelectorAll("[data-intervals]").forEach((button) => {
    button.addEventListener("click", () => {
      const shown = button.closest("section").classList.toggle("intervals");
      button.setAttribute("aria-pressed", String(shown));
    });
  });
  try {
    await Isogloss.drawAll();
  } catch (error) {
    document.documentElement.classList.add("no-plots");
    console.error(error);
  }
  performance.mark("drawn");
  document.documentElement.dataset.ready = "true";
};

Isogloss.start();
