// Runs inside of the page: shows every pane, measures, points at lines, and says what it found.
(() => {
  const out = { width: innerWidth, panes: [], wrong: [] };
  const all = (query) => [...document.querySelectorAll(query)];
  const check = (holds, what) => { if (!holds) out.wrong.push(what); };
  const root = document.documentElement;
  const tabs = all("#tabs [role=tab]"), panes = all(".pane");
  check(tabs.length === panes.length && tabs.length >= 8, "a tab for each pane");
  tabs.forEach((tab, i) => {
    tab.click();
    const name = tab.textContent;
    const seen = panes.filter((pane) => pane.getClientRects().length > 0);
    check(seen.length === 1 && seen[0] === panes[i], name + ": it alone is seen");
    check(tab.getAttribute("aria-selected") === "true", name + ": is said to be selected");
    for (const view of [null, ...panes[i].querySelectorAll(".picks button")]) {
      if (view) view.click();
      panes[i].querySelectorAll("details").forEach((d) => { d.open = true; });
      check(root.scrollWidth <= innerWidth, name + ": is " + root.scrollWidth + " wide");
    }
    check(panes[i].innerText.trim().length > 40, name + ": says something");
    out.panes.push(name);
  });
  // Arrows go from tab to tab, and around.
  const key = (target, key) => target.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }));
  tabs[tabs.length - 1].focus();
  key(tabs[tabs.length - 1], "ArrowRight");
  check(tabs[0].getAttribute("aria-selected") === "true" && document.activeElement === tabs[0], "arrows go around");

  const [nest, c] = all(".listing");
  if (nest && c) {
    document.getElementById("tab-code").click();
    const hits = (list) => list.querySelectorAll(".ln.hit").length;
    const over = (line) => line.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    let joined = 0;
    for (const line of [...nest.querySelectorAll(".ln[data-s]")].slice(0, 200)) {
      over(line);
      if (hits(c) > 0) joined++;
    }
    nest.dispatchEvent(new MouseEvent("mouseleave"));
    check(joined > 0, "a line of the loop program shows lines of C");
    check(hits(c) === 0 && hits(nest) === 0, "nothing is shown when nothing is pointed at");
    const stores = [...c.querySelectorAll(".ln[data-w]")];
    check(stores.length > 0, "C has stores");
    over(stores[0]);
    check(hits(nest) > 0, "a line of C shows lines of the loop program");
    check(document.getElementById("computes").textContent.length > 5, "it says what it computes");
    out.subs = stores.filter((line) => { over(line); return all(".sub.hit").length > 0; }).length;
    c.dispatchEvent(new MouseEvent("mouseleave"));
    nest.focus();
    check(document.activeElement === nest, "the list takes the keyboard");
    key(nest, "ArrowDown");
    key(nest, "ArrowDown");
    const at = document.getElementById(nest.getAttribute("aria-activedescendant"));
    check(at && at.getAttribute("aria-selected") === "true", "arrows select a line");
    check(hits(nest) > 0, "what is selected is shown");
    over(stores[stores.length - 1]);
    check(at.classList.contains("hit"), "what is selected stays");
    key(nest, "Escape");
    check(hits(nest) === 0 && hits(c) === 0, "Escape ends it");
    const link = document.querySelector("a.line");
    if (link) {
      document.getElementById("tab-obligations").click();
      link.click();
      const line = document.getElementById(link.getAttribute("href").slice(1));
      check(line.classList.contains("hit") && line.getClientRects().length > 0, "a statement leads to its line");
      line.click();
    }
    stores[0].click();
    check(hits(nest) > 0, "a click selects");
    check(root.scrollWidth <= innerWidth, "nothing overflows after it");
  }
  out.images = all("img, link[rel=stylesheet], iframe, script[src]").length;
  parent.postMessage(JSON.stringify(out), "*");
})();
