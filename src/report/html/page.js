// What the page does beyond standing there: tabs, a switch between terms, lines that show what belongs together.
// Without it everything is on one long page.
(() => {
  "use strict";
  const all = (query, from = document) => [...from.querySelectorAll(query)];
  const html = document.documentElement;
  html.classList.add("js");

  // Tabs. The address names the pane, so that it can be linked and the way back works.
  const bar = document.getElementById("tabs");
  const tabs = all("a", bar);
  const panes = tabs.map((tab) => document.querySelector(tab.getAttribute("href")));
  // The browser would go to where the pane is without tabs: it shall not find it.
  const names = panes.map((pane) => "#" + pane.id);
  panes.forEach((pane) => { pane.id = "pane-" + pane.id; });
  bar.setAttribute("role", "tablist");
  tabs.forEach((tab, i) => {
    tab.setAttribute("role", "tab");
    tab.setAttribute("aria-controls", panes[i].id);
    panes[i].setAttribute("role", "tabpanel");
    panes[i].setAttribute("aria-labelledby", tab.id);
  });
  const shown = [];
  const show = (at, focus) => {
    tabs.forEach((tab, i) => {
      tab.setAttribute("aria-selected", i === at);
      tab.tabIndex = i === at ? 0 : -1;
      panes[i].hidden = i !== at;
    });
    const tab = tabs[at];
    shown.forEach((f) => f(panes[at]));
    bar.scrollLeft = tab.offsetLeft - (bar.clientWidth - tab.offsetWidth) / 2;
    if (focus) tab.focus({ preventScroll: true });
  };
  const named = () => Math.max(0, names.indexOf(location.hash));
  const go = (at, focus) => {
    const top = Math.min(window.scrollY, bar.offsetTop);
    try { history.replaceState(null, "", names[at]); } catch { /* an address that may not change */ }
    show(at, focus);
    window.scrollTo(0, top);
  };
  tabs.forEach((tab, i) => tab.addEventListener("click", (e) => { e.preventDefault(); go(i, true); }));
  bar.addEventListener("keydown", (e) => {
    const at = tabs.indexOf(document.activeElement), n = tabs.length;
    const to = { ArrowRight: (at + 1) % n, ArrowLeft: (at + n - 1) % n, Home: 0, End: n - 1 }[e.key];
    if (at < 0 || to === undefined) return;
    e.preventDefault();
    go(to, true);
  });
  window.addEventListener("hashchange", () => show(named(), false));

  // One term at a time; the last is what came out.
  const terms = document.getElementById("terms-switch");
  const views = terms ? all(".view", terms) : [];
  if (views.length > 1) {
    const picks = document.createElement("div");
    picks.className = "picks";
    picks.setAttribute("role", "group");
    picks.setAttribute("aria-label", "Which term");
    const pick = (at) => views.forEach((view, i) => {
      view.hidden = i !== at;
      picks.children[i].setAttribute("aria-pressed", i === at);
    });
    views.forEach((view, i) => {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = view.dataset.name;
      button.addEventListener("click", () => pick(i));
      picks.append(button);
    });
    terms.prepend(picks);
    pick(views.length - 1);
  }

  // Lines of the loop program and of C, and sub-terms: a statement is a number, what stands inside has those that
  // follow, up to the last one.
  const linked = document.getElementById("linked");
  if (linked) {
    const lists = all(".listing", linked), lines = all(".ln[data-s]", linked), subs = all(".sub", linked);
    const computes = document.getElementById("computes");
    const number = (line, key) => (line.dataset[key] === undefined ? -1 : Number(line.dataset[key]));
    let held = null, marked = null;
    const mark = (line, from) => {
      if (marked === line) return;
      marked = line;
      const s = line ? number(line, "s") : -1, e = line ? number(line, "e") : -2;
      const what = new Set();
      const firsts = new Map();
      for (const l of lines) {
        const n = number(l, "s"), hit = s <= n && n <= e;
        l.classList.toggle("hit", hit);
        l.classList.toggle("own", hit && n === s);
        if (hit && n === s && !firsts.has(l.parentNode)) firsts.set(l.parentNode, l);
        if (hit && l.dataset.w) what.add(l.dataset.w);
      }
      for (const sub of subs) sub.classList.toggle("hit", sub.dataset.w.split(" ").some((w) => what.has(w)));
      const inside = what.size > 0 ? "what its statements compute is marked" : "";
      computes.textContent = line && (line.dataset.t || inside) ? "· " + (line.dataset.t || inside) : "";
      for (const [list, first] of firsts) if (list !== from) reveal(list, first);
      const sub = subs.findLast((x) => x.classList.contains("hit"));
      if (line && sub) reveal(document.getElementById("listing-term"), sub);
    };
    // Moves a list only, never the page.
    const reveal = (list, item) => {
      const a = list.getBoundingClientRect(), b = item.getBoundingClientRect();
      if (b.top < a.top || b.bottom > a.bottom) list.scrollTop += b.top - a.top - list.clientHeight / 3;
    };
    const hold = (line, list) => {
      held = line;
      lists.forEach((l) => l.removeAttribute("aria-activedescendant"));
      all('[aria-selected="true"]', linked).forEach((l) => l.setAttribute("aria-selected", "false"));
      if (line) {
        line.setAttribute("aria-selected", "true");
        if (list) list.setAttribute("aria-activedescendant", line.id);
      }
      mark(line, list);
    };
    for (const list of lists) {
      list.setAttribute("role", "listbox");
      list.setAttribute("aria-label", list.previousElementSibling.textContent + ": a line shows what belongs to it");
      for (const line of list.children) {
        line.setAttribute("role", "option");
        line.setAttribute("aria-selected", "false");
      }
      const own = all(".ln[data-s]", list);
      list.addEventListener("mouseover", (e) => {
        const line = e.target.closest(".ln[data-s]");
        if (line && !held) mark(line, list);
      });
      list.addEventListener("mouseleave", () => { if (!held) mark(null, list); });
      list.addEventListener("click", (e) => {
        const line = e.target.closest(".ln[data-s]");
        hold(line === held ? null : line, list);
      });
      list.addEventListener("keydown", (e) => {
        const at = own.indexOf(held), last = own.length - 1;
        // Without a line of its own it begins with what the other list shows.
        const shows = own.findIndex((l) => l.classList.contains("own"));
        const near = at >= 0 || shows < 0 ? at : shows - (e.key === "ArrowDown" ? 1 : 0);
        const to = {
          ArrowDown: Math.min(last, near + 1), ArrowUp: Math.max(0, near - 1), Home: 0, End: last,
          PageDown: Math.min(last, near + 12), PageUp: Math.max(0, near - 12), Escape: null,
        }[e.key];
        if (to === undefined || last < 0) return;
        e.preventDefault();
        hold(to === null ? null : own[to], list);
        if (to !== null) reveal(list, own[to]);
      });
    }
    // The C begins with what every kernel has.
    const begin = (pane) => {
      const first = pane.contains(linked) && lists[1] && lists[1].querySelector(".ln[data-s]");
      if (!first) return;
      lists[1].scrollTop = first.offsetTop - lists[1].offsetTop - lists[1].clientHeight / 4;
      shown.splice(shown.indexOf(begin), 1);
    };
    shown.push(begin);
    for (const link of all("a.line")) {
      const line = document.getElementById(link.getAttribute("href").slice(1));
      const at = panes.findIndex((pane) => pane.contains(linked));
      if (line) link.addEventListener("click", (e) => {
        e.preventDefault();
        shown.splice(0, shown.length, ...shown.filter((f) => f !== begin));
        go(at, false);
        hold(line, line.parentNode);
        reveal(line.parentNode, line);
      });
    }
    for (const sub of subs) {
      const first = () => lines.find((l) => l.dataset.w && sub.dataset.w.split(" ").includes(l.dataset.w));
      sub.addEventListener("click", (e) => { e.stopPropagation(); const l = first(); if (l) hold(l, null); });
    }
  }

  const command = document.getElementById("the-command");
  if (command && navigator.clipboard) {
    const copy = document.createElement("button");
    copy.type = "button";
    copy.className = "copy";
    copy.textContent = "Copy";
    copy.addEventListener("click", async () => {
      try { await navigator.clipboard.writeText(command.textContent); copy.textContent = "Copied"; }
      catch { getSelection().selectAllChildren(command); copy.textContent = "Selected"; }
    });
    command.closest(".reproduce").append(copy);
  }
  show(named(), false);
})();
