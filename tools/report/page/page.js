"use strict";
const whole = JSON.parse(document.getElementById("data").textContent);
const wanted = new URLSearchParams(location.hash.slice(1));
/* A system has several chips, and the page shows one of them. */
const data = whole.chips ? whole.chips.find(chip => chip.chip === Number(wanted.get("chip"))) || whole.chips[0] : whole;
const find = id => document.getElementById(id);
const grouped = number => Math.round(number).toLocaleString("en");
const style = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const key = at => `${at[0]},${at[1]}`;

function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "line", "rect", "text", "g", "path", "title"].includes(tag);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// ---- Data of each tile ----

const gridAt = new Map(data.grid.map(tile => [key(tile.at), tile]));
const statsAt = new Map((data.stats || []).map(entry => [entry.tile, entry.tracks]));
const eventsAt = new Map(); // tile -> track number -> decoded events
const badAt = new Map(); // tile -> number of faults and hazards
const mark = tile => badAt.set(tile, (badAt.get(tile) || 0) + 1);
for (const fault of data.faults || []) mark(fault.tile);
for (const hazard of data.hazards || []) mark(hazard.tile);

/* Converts the gap, length, name and place of each event to its begin, end, name and place. */
function decode(flat) {
  const count = flat.length / 4, from = new Float64Array(count), to = new Float64Array(count);
  const name = new Uint32Array(count), place = new Uint32Array(count);
  for (let i = 0, time = 0; i < count; i++) {
    from[i] = time += flat[4 * i];
    to[i] = time += flat[4 * i + 1];
    name[i] = flat[4 * i + 2];
    place[i] = flat[4 * i + 3];
  }
  return { from, to, name, place };
}
for (const { tile, track, events } of data.timeline) {
  if (!eventsAt.has(key(tile))) eventsAt.set(key(tile), new Map());
  eventsAt.get(key(tile)).set(track, events);
}
function eventsOf(tile, track) {
  const tracks = eventsAt.get(tile);
  if (Array.isArray(tracks.get(track))) tracks.set(track, decode(tracks.get(track)));
  return tracks.get(track);
}

const ERISCS = { 0: "erisc0", 4: "erisc1" }; // of Ethernet tiles, by track
const trackName = (tile, track) => gridAt.get(tile)?.kind === "Ethernet" && ERISCS[track] || data.tracks[track];
const CORES = new Set([...data.tracks.slice(0, 5), ...Object.values(ERISCS)]), UNITS = new Set(data.tracks.slice(8, 18));
const sum = (tile, names, what) => (statsAt.get(tile) || []).filter(t => names.has(t.track)).reduce((all, t) => all + (t[what] || 0), 0);
const NOCS = new Set(data.tracks.slice(18, 20));
const MEASURES = {
  "cores, busy cycles": tile => sum(tile, CORES, "busy"),
  "cores, cycles of waiting": tile => sum(tile, CORES, "stalled"),
  "units, busy cycles": tile => sum(tile, UNITS, "busy"),
  "Matrix Unit, busy cycles": tile => sum(tile, new Set(["matrix"]), "busy"),
  "NoC, bytes sent": tile => sum(tile, NOCS, "bytes_out"),
  "NoC, bytes received": tile => sum(tile, NOCS, "bytes_in"),
  "faults and hazards": tile => badAt.get(tile) || 0,
};

// ---- Head ----

function showSummary() {
  const facts = {
    outcome: data.outcome, cycles: grouped(data.cycles), instructions: grouped(data.instructions),
    ...(data.board ? { board: data.board } : {}), timing: data.timing, faults: (data.faults || []).length,
    hazards: data.hazards ? data.hazards.length : "not looked for", version: data.version,
  };
  if (data.dropped) facts["events left out"] = grouped(data.dropped);
  for (const [name, value] of Object.entries(facts))
    find("summary").append(make("div", {}, make("dt", {}, name), make("dd", {}, String(value))));
}

// ---- Chip ----

let selected = null;

function shade(part) {
  return `color-mix(in srgb, ${style("--work")} ${Math.round(100 * part)}%, transparent)`;
}

function showChip() {
  const measure = MEASURES[find("measure").value], most = Math.max(1, ...data.grid.map(tile => measure(key(tile.at))));
  find("scale").textContent = `darkest: ${grouped(most)}`;
  for (const button of find("chip").children) {
    const value = measure(button.dataset.tile);
    button.style.backgroundColor = value ? shade(0.15 + 0.85 * value / most) : "";
    button.title = `${button.dataset.kind} ${button.dataset.tile}: ${grouped(value)}`;
  }
}

function makeChip() {
  for (const name of Object.keys(MEASURES)) find("measure").append(make("option", {}, name));
  find("measure").onchange = showChip;
  for (const tile of data.grid) {
    const at = key(tile.at), tensix = tile.kind === "Tensix" && !tile.harvested;
    const button = make("button", { "data-tile": at, "data-kind": tile.kind + (tile.harvested ? ", harvested" : "") }, tensix ? at : tile.kind);
    button.style.gridColumn = tile.noc0[0] + 1;
    button.style.gridRow = tile.noc0[1] + 1;
    if (!tensix) button.classList.add("other");
    if (badAt.has(at)) button.classList.add("bad");
    button.onclick = () => select(at);
    find("chip").append(button);
  }
  showChip();
}

// ---- Timeline ----

const ROW = 22, LEFT = 90, TOP = 22;
const view = { from: 0, to: Math.max(1, data.cycles) };

/* Returns the index of the first event that ends after a time. */
function firstAfter(events, time) {
  let low = 0, high = events.to.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (events.to[middle] > time) high = middle;
    else low = middle + 1;
  }
  return low;
}

function drawTrack(context, events, y, width) {
  const scale = width / (view.to - view.from), colours = [style("--work"), style("--wait")];
  let drawn = -1; // events within a pixel that has been drawn are left out
  for (let i = firstAfter(events, view.from); i < events.from.length && events.from[i] < view.to; i++) {
    const left = Math.max(0, (events.from[i] - view.from) * scale), right = Math.min(width, (events.to[i] - view.from) * scale);
    if (right - drawn < 0.5) continue;
    const wait = events.name[i] & 1;
    context.fillStyle = colours[wait];
    context.globalAlpha = wait ? 0.45 : 0.9;
    context.fillRect(LEFT + left, y + (wait ? 7 : 3), Math.max(0.7, right - left), wait ? ROW - 14 : ROW - 6);
    if (right - left > 60) {
      context.globalAlpha = 1;
      context.fillStyle = wait ? style("--ink") : style("--paper");
      context.save();
      context.beginPath();
      context.rect(LEFT + left, y, right - left, ROW);
      context.clip();
      context.fillText(data.names[events.name[i] >> 1], LEFT + left + 4, y + ROW / 2 + 4);
      context.restore();
    }
    drawn = right;
  }
  context.globalAlpha = 1;
}

function drawScale(context, width, height) {
  const step = 10 ** Math.floor(Math.log10((view.to - view.from) / 4)) || 1;
  const wide = [1, 2, 5, 10].map(factor => factor * step).find(each => (view.to - view.from) / each <= 8);
  context.fillStyle = style("--hint");
  context.strokeStyle = style("--line");
  for (let time = Math.ceil(view.from / wide) * wide; time <= view.to; time += wide) {
    const x = LEFT + (time - view.from) / (view.to - view.from) * width;
    context.beginPath();
    context.moveTo(x + 0.5, TOP - 4);
    context.lineTo(x + 0.5, height);
    context.stroke();
    context.fillText(grouped(time), x + 3, 12);
  }
}

const tracksOf = tile => [...(eventsAt.get(tile) || new Map()).keys()].sort((a, b) => a - b);

function drawTimeline() {
  const canvas = find("timeline"), tracks = tracksOf(selected), ratio = window.devicePixelRatio || 1;
  const whole = canvas.clientWidth || 1000, width = whole - LEFT, height = TOP + ROW * Math.max(1, tracks.length);
  canvas.width = whole * ratio;
  canvas.height = height * ratio;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  context.font = "11px system-ui, sans-serif";
  drawScale(context, width, height);
  tracks.forEach((track, i) => {
    context.fillStyle = style("--ink");
    context.fillText(trackName(selected, track), 4, TOP + ROW * i + ROW / 2 + 4);
    drawTrack(context, eventsOf(selected, track), TOP + ROW * i, width);
  });
  if (!tracks.length) context.fillText("nothing happened here", LEFT, TOP + 14);
  find("range").textContent = `cycles ${grouped(view.from)} to ${grouped(view.to)}`;
  canvas.dataset.from = view.from;
  canvas.dataset.to = view.to;
}

function show(from, to) {
  const least = 4, length = Math.min(Math.max(to - from, least), Math.max(least, data.cycles));
  view.from = Math.max(0, Math.min(from, data.cycles - length));
  view.to = view.from + length;
  drawTimeline();
}

function zoom(factor, part = 0.5) {
  const length = view.to - view.from, middle = view.from + part * length;
  show(middle - part * length * factor, middle + (1 - part) * length * factor);
}

function eventUnder(x, y) {
  const canvas = find("timeline"), tracks = tracksOf(selected), row = Math.floor((y - TOP) / ROW);
  if (x < LEFT || row < 0 || row >= tracks.length) return null;
  const time = view.from + (x - LEFT) / (canvas.clientWidth - LEFT) * (view.to - view.from);
  const events = eventsOf(selected, tracks[row]), i = firstAfter(events, time);
  return i < events.from.length && events.from[i] <= time ? { events, i, track: tracks[row] } : null;
}

function showTip(event) {
  const tip = find("tip"), under = eventUnder(event.offsetX, event.offsetY);
  tip.hidden = !under;
  if (!under) return;
  const { events, i } = under, place = data.places[events.place[i]];
  tip.textContent = `${data.names[events.name[i] >> 1]}\ncycles ${grouped(events.from[i])} to ${grouped(events.to[i])}${place ? "\n" + place : ""}`;
  tip.style.left = `${Math.min(event.offsetX + 14, find("timeline").clientWidth - 260)}px`;
  tip.style.top = `${event.offsetY + 14}px`;
}

function makeTimeline() {
  const canvas = find("timeline");
  let dragged = null;
  const part = event => Math.max(0, (event.offsetX - LEFT) / (canvas.clientWidth - LEFT));
  canvas.addEventListener("wheel", event => { event.preventDefault(); zoom(event.deltaY < 0 ? 0.7 : 1 / 0.7, part(event)); }, { passive: false });
  canvas.onpointerdown = event => { dragged = { x: event.offsetX, from: view.from, to: view.to }; canvas.setPointerCapture(event.pointerId); };
  canvas.onpointerup = () => { dragged = null; };
  canvas.onpointerleave = () => { find("tip").hidden = true; };
  canvas.onpointermove = event => {
    if (!dragged) { showTip(event); return; }
    const moved = (dragged.x - event.offsetX) / (canvas.clientWidth - LEFT) * (dragged.to - dragged.from);
    show(dragged.from + moved, dragged.to + moved);
  };
  canvas.onkeydown = event => {
    const length = view.to - view.from;
    const done = { "+": () => zoom(0.7), "-": () => zoom(1 / 0.7), 0: () => show(0, data.cycles), ArrowLeft: () => show(view.from - length / 4, view.to - length / 4), ArrowRight: () => show(view.from + length / 4, view.to + length / 4) }[event.key];
    if (done) { event.preventDefault(); done(); }
  };
  find("zoom-in").onclick = () => zoom(0.5);
  find("zoom-out").onclick = () => zoom(2);
  find("zoom-all").onclick = () => show(0, data.cycles);
  window.addEventListener("resize", drawTimeline);
}

function bar(part, wait) {
  const element = make("span", { class: wait ? "bar wait" : "bar" });
  element.style.width = `${Math.max(0, Math.min(1, part)) * 6}rem`;
  return element;
}

function showUnits() {
  const table = find("units"), number = value => make("td", { class: "number" }, grouped(value));
  table.replaceChildren(make("tr", {}, ...["track", "busy", "", "waits", "", "instructions or packets", "waits for"].map(name => make("th", {}, name))));
  for (const track of statsAt.get(selected) || []) {
    const waits = (track.waits || []).slice(0, 3).map(wait => `${wait.why} (${grouped(wait.cycles)})`).join("; ");
    const bytes = "bytes_out" in track ? `${grouped(track.bytes_out)} bytes out, ${grouped(track.bytes_in)} in` : waits;
    table.append(make("tr", {}, make("td", {}, track.track), number(track.busy), make("td", {}, bar(track.busy / data.cycles)), number(track.stalled),
      make("td", {}, bar(track.stalled / data.cycles, true)), number(track.instructions ?? track.packets_out), make("td", {}, bytes)));
  }
}

function select(at) {
  selected = at;
  for (const button of find("chip").children) button.classList.toggle("selected", button.dataset.tile === at);
  const tile = gridAt.get(at);
  find("tile-name").textContent = `${at}${tile && tile.kind !== "Tensix" ? ` (${tile.kind})` : ""}`;
  drawTimeline();
  showUnits();
}

// ---- Links ----

const COLUMNS = 17, LINES = 12;

/* Returns the links of a packet: NoC 0 goes right, then down; NoC 1 goes up, then left; both wrap around. */
function walk(noc, from, to, visit) {
  let [x, y] = from;
  const across = () => { while (x !== to[0]) { visit(x, y, "x"); x = (x + (noc ? COLUMNS - 1 : 1)) % COLUMNS; } };
  const along = () => { while (y !== to[1]) { visit(x, y, "y"); y = (y + (noc ? LINES - 1 : 1)) % LINES; } };
  if (noc) { along(); across(); } else { across(); along(); }
}

function linkLoads(noc) {
  const loads = new Map();
  for (const [network, fromX, fromY, toX, toY, , , bytes] of data.packets) {
    const from = gridAt.get(`${fromX},${fromY}`), to = gridAt.get(`${toX},${toY}`);
    if (network !== noc || !from || !to) continue;
    walk(noc, from.noc0, to.noc0, (x, y, axis) => loads.set(`${x},${y},${axis}`, (loads.get(`${x},${y},${axis}`) || 0) + bytes + 32));
  }
  return loads;
}

function showLinks() {
  const noc = Number(find("network").value), loads = linkLoads(noc), most = Math.max(1, ...loads.values()), svg = find("links"), cell = 56;
  svg.setAttribute("viewBox", `0 0 ${COLUMNS * cell} ${LINES * cell / 1.6}`);
  svg.replaceChildren();
  find("links-scale").textContent = loads.size ? `widest: ${grouped(most)} bytes` : "no packets";
  const place = (x, y) => [x * cell + cell / 2, (y * cell + cell / 2) / 1.6];
  for (const tile of data.grid) {
    const [x, y] = place(...tile.noc0);
    svg.append(make("rect", { x: x - 3, y: y - 3, width: 6, height: 6, fill: style("--line") }, make("title", {}, `${tile.kind} ${key(tile.at)}`)));
  }
  for (const [name, load] of loads) {
    const [x, y, axis] = name.split(","), [fromX, fromY] = place(Number(x), Number(y)), sign = noc ? -1 : 1;
    const toX = fromX + (axis === "x" ? sign * cell * 0.9 : 0), toY = fromY + (axis === "y" ? sign * cell * 0.9 / 1.6 : 0);
    svg.append(make("line", { class: "link", x1: fromX, y1: fromY, x2: toX, y2: toY, stroke: style("--packet"), "stroke-width": 1 + 7 * load / most, "stroke-opacity": 0.3 + 0.7 * load / most },
      make("title", {}, `${grouped(load)} bytes`)));
  }
}

// ---- Source, hazards, faults, waits ----

const baseName = path => (path || "").split("/").pop();

function fillProfile(id, rows, what) {
  const table = find(id), total = rows.reduce((all, row) => all + row.cycles, 0) || 1;
  table.append(make("tr", {}, ...[what, "core", "cycles", "", "waits", ""].map(name => make("th", {}, name))));
  for (const row of rows.slice(0, 40)) {
    const place = row.line ? `${baseName(row.file)}:${row.line}` : row.symbol || "?";
    const bad = (data.hazards || []).filter(hazard => [hazard.first, hazard.second].some(side => row.line && side && baseName(side.file) === baseName(row.file) && side.line === row.line));
    table.append(make("tr", {}, make("td", { class: "code" }, place), make("td", {}, row.core), make("td", { class: "number" }, grouped(row.cycles)),
      make("td", {}, bar(row.cycles / total)), make("td", { class: "number" }, grouped(row.waited)), make("td", { class: "RACE" }, bad.map(hazard => hazard.verdict).join(" "))));
  }
  if (!rows.length) table.append(make("tr", {}, make("td", {}, "no instructions")));
}

function side(name, it) {
  const place = [it.symbol && `<${it.symbol}>`, it.file && `${baseName(it.file)}:${it.line}`].filter(Boolean).join(" ");
  if (it.agent === "nobody") return make("p", {}, `${name}: nobody writes`);
  return make("p", {}, `${name}: ${it.agent} of tile ${it.tile} ${it.access === "write" ? "writes" : "reads"} in cycle ${grouped(it.cycle)} `, make("code", {}, `${it.instruction || ""} ${place}`));
}

function showHazards() {
  const box = find("hazards");
  if (!data.hazards) box.append(make("p", { class: "hint" }, "The run was made without --check."));
  else if (!data.hazards.length) box.append(make("p", {}, "none"));
  for (const hazard of data.hazards || [])
    box.append(make("article", {}, make("p", { class: hazard.verdict }, make("strong", {}, `${hazard.verdict}: `), `${hazard.text || hazard.kind}, at ${hazard.place} of tile ${hazard.tile}`),
      side("first", hazard.first), side("second", hazard.second), make("p", { class: "hint" }, hazard.remedy || "")));
}

function showFaults() {
  for (const fault of data.faults || [])
    find("faults").append(make("article", {}, make("p", { class: "fault" }, `tile ${fault.tile}, cycle ${grouped(fault.cycle)}: ${fault.text}`)));
  if (!(data.faults || []).length) find("faults").append(make("p", {}, "none"));
}

/* Draws agents on the left, and the reasons for which they wait on the right. */
function showWaits() {
  const svg = find("waits"), lines = data.waiting || [], reasons = [], height = 22;
  const parts = lines.map(line => { const cut = line.search(/:(?!.*\btile\b)|: /); return cut < 0 ? [line, "?"] : [line.slice(0, cut).trim(), line.slice(cut + 1).trim()]; });
  for (const [, why] of parts) if (!reasons.includes(why)) reasons.push(why);
  const rows = Math.max(1, parts.length, reasons.length);
  svg.setAttribute("viewBox", `0 0 1200 ${rows * height + 10}`);
  if (!parts.length) svg.append(make("text", { x: 4, y: 16 }, "nobody"));
  parts.forEach(([who, why], i) => {
    const from = i * height + 16, to = reasons.indexOf(why) * height + 16;
    svg.append(make("text", { x: 4, y: from, class: "agent" }, who), make("path", { d: `M 330 ${from - 4} C 380 ${from - 4}, 380 ${to - 4}, 430 ${to - 4}`, fill: "none", stroke: style("--wait"), "stroke-width": 1.5 }));
  });
  reasons.forEach((why, i) => svg.append(make("text", { x: 436, y: i * height + 16, class: "reason" }, why)));
}

// ---- Several chips ----

function makeSystem() {
  if (data.chip !== undefined) find("chip-name").textContent = data.chip;
  if (!whole.chips) return;
  find("system-section").hidden = false;
  for (const { chip, outcome, instructions } of whole.chips)
    find("chips").append(make("option", { value: chip, ...(chip === data.chip ? { selected: "" } : {}) }, `chip ${chip}: ${outcome}, ${grouped(instructions)} instructions`));
  find("chips").onchange = () => { location.hash = `chip=${find("chips").value}`; location.reload(); };
  const table = find("cables");
  table.append(make("tr", {}, ...["cable", "", "frames there", "bytes", "frames back", "bytes", "lost"].map(name => make("th", {}, name))));
  for (const link of whole.links.filter(link => link.frames[0] + link.frames[1] || !link.up)) {
    const numbers = [link.frames[0], link.bytes[0], link.frames[1], link.bytes[1], link.lost[0] + link.lost[1]];
    table.append(make("tr", {}, make("td", {}, `${link.from} - ${link.to}`), make("td", {}, link.up ? "up" : "down"), ...numbers.map(value => make("td", { class: "number" }, grouped(value)))));
  }
}

// ---- Begin ----

function begin() {
  const first = wanted.get("tile") || [...statsAt.keys()].find(tile => eventsAt.has(tile)) || [...eventsAt.keys()][0] || key(data.grid.find(tile => tile.kind === "Tensix").at);
  makeSystem();
  showSummary();
  makeChip();
  makeTimeline();
  select(first);
  if (wanted.has("from")) show(Number(wanted.get("from")), Number(wanted.get("to")));
  find("network").onchange = showLinks;
  showLinks();
  fillProfile("symbols", data.profile?.symbols || [], "symbol");
  fillProfile("lines", data.profile?.lines || [], "source line");
  showHazards();
  showFaults();
  showWaits();
  document.documentElement.dataset.ready = "yes";
}
begin();
