"use strict";
// Runs in the head, before anything is painted: the reader's last choice of light or dark, if there was one.
try {
  const choice = localStorage.getItem("isogloss-theme");
  if (choice === "light" || choice === "dark") document.documentElement.dataset.theme = choice;
} catch (error) {
  // Storage may be forbidden for local files; the system's choice then stands.
}
