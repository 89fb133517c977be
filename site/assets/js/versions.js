// Offers the other versions of the site, where the server has more than this one.
const { home, version } = document.currentScript.dataset;

document.addEventListener("DOMContentLoaded", async () => {
  const versions = await (await fetch(home + "versions.json")).json();
  if (versions.length < 2) {
    return;
  }
  const menu = document.createElement("select");
  menu.className = "versions";
  menu.ariaLabel = "Version";
  menu.append(...versions.map((name) => new Option(name, name, false, name === version)));
  menu.addEventListener("change", () => location.assign(home + menu.value + "/"));
  document.querySelector("nav a").after(menu);
});
