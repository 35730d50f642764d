// The page's style sheet: one column, system fonts, light and dark, screen and paper.
#include "page_html.hpp"

namespace zerolab::html {

std::string_view style() {
  return R"(:root {
  color-scheme: light dark;
  --paper: #fdfdfb; --ink: #1d1f21; --soft: #5a6066; --line: #d9dbd7; --band: #f3f4f1;
  --good: #00664b; --bad: #a83200; --open: #5a6066; --badly: #fdeee6; --goodly: #e6f3ee;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #16181a; --ink: #e4e6e3; --soft: #a0a7ad; --line: #383c40; --band: #1f2225;
    --good: #5fd3ac; --bad: #ff9e70; --open: #a0a7ad; --badly: #3a2116; --goodly: #143027;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-padding-top: 1rem; }
body {
  margin: 0 auto; padding: 2.5rem 1.25rem 5rem; max-width: 60rem;
  background: var(--paper); color: var(--ink);
  font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", "Noto Sans", sans-serif;
}
h1, h2, h3 { line-height: 1.25; text-wrap: balance; }
h1 { font-size: 1.7rem; font-weight: 650; margin: 0 0 .25rem; letter-spacing: -.01em; }
h2 { font-size: 1.25rem; margin: 3.5rem 0 .75rem; padding-top: .6rem; border-top: 2px solid var(--ink); }
h2 .no { color: var(--soft); font-weight: 400; margin-right: .6em; }
h3 { font-size: 1.03rem; margin: 2rem 0 .5rem; }
p { margin: .5rem 0; max-width: 44rem; }
a { color: inherit; text-underline-offset: .2em; text-decoration-color: var(--soft); }
code, pre { font: .84em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
.lead { color: var(--soft); margin: 0; }
nav { margin: 1.25rem 0 0; font-size: .9rem; display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; }

.tally { display: grid; grid-template-columns: repeat(auto-fit, minmax(8.5rem, 1fr)); gap: 1px;
  margin: 1.25rem 0; padding: 0; list-style: none; border: 1px solid var(--line); background: var(--line); }
.tally li { background: var(--paper); padding: .8rem 1rem; }
.tally b { display: block; font-size: 1.75rem; font-weight: 600; line-height: 1.2;
  font-variant-numeric: tabular-nums; }
.tally span { color: var(--soft); font-size: .88rem; }
.tally .bad b { color: var(--bad); }
.tally .good b { color: var(--good); }
.alarm { border-left: 4px solid var(--bad); background: var(--badly); padding: .6rem 1rem; margin: 1rem 0; }
.alarm p { margin: 0; }

.scroll { overflow-x: auto; margin: 1rem 0 .25rem; }
table { border-collapse: collapse; font-size: .88rem; font-variant-numeric: tabular-nums; min-width: 60%; }
caption { text-align: left; color: var(--ink); font-weight: 600; padding: 0 0 .4rem; }
caption span { display: block; position: sticky; left: 0; max-width: min(46rem, calc(100vw - 2.5rem)); }
details caption span { max-width: min(46rem, calc(100vw - 5.5rem)); }
th, td { padding: .28rem .7rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line);
  vertical-align: baseline; }
thead th { font-weight: 500; color: var(--soft); border-bottom: 1.5px solid var(--ink); vertical-align: bottom;
  white-space: normal; line-height: 1.3; }
th:first-child, .words { text-align: left; }
tbody .words { white-space: normal; overflow-wrap: anywhere; min-width: 8rem; }
.alarm, .lead, .small { overflow-wrap: anywhere; }
tbody th { font-weight: 600; }
tbody tr:last-child > * { border-bottom-color: var(--ink); }
th .swatch { display: block; height: 4px; margin-bottom: .25rem; background: var(--swatch); }
td.good { color: var(--good); }
td.bad { color: var(--bad); background: var(--badly); }
.source { color: var(--soft); font-size: .78rem; line-height: 1.5; margin: .15rem 0 .75rem; max-width: none;
  overflow-wrap: anywhere; }
.source code { font-size: .96em; }
.source .file { color: var(--ink); }
.note { border-left: 3px solid var(--line); padding-left: .9rem; color: var(--soft); font-size: .92rem; }
.small { color: var(--soft); font-size: .88rem; }

.badge { white-space: nowrap; font-size: .8rem; font-weight: 600; padding: .1rem .55rem; border-radius: 1rem;
  border: 1px solid currentColor; }
.badge.good { color: var(--good); background: var(--goodly); }
.badge.bad { color: var(--paper); background: var(--bad); border-color: var(--bad); }
.badge.open { color: var(--open); border-style: dashed; font-weight: 500; }

details { border: 1px solid var(--line); margin: .6rem 0; padding: 0 1rem; }
details[open] { padding-bottom: .6rem; }
summary { cursor: pointer; padding: .5rem 0; font-weight: 600; font-size: .95rem; }
summary:focus-visible, .scroll:focus-visible, a:focus-visible { outline: 2px solid var(--good); outline-offset: 2px; }
.told details { margin: .4rem 0 .2rem; padding: 0 .7rem; }
.told summary { font-size: .84rem; font-weight: 500; padding: .25rem 0; color: var(--soft); }
pre { overflow-x: auto; background: var(--band); padding: .7rem .9rem; margin: .4rem 0; font-size: .8rem; }

figure { margin: 1.5rem 0 2.25rem; }
figure .plate { background: #fff; border: 1px solid var(--line); padding: .5rem; overflow-x: auto; }
figure svg { display: block; width: 100%; height: auto; min-width: 34rem; }
figcaption { font-size: .9rem; margin-top: .5rem; max-width: 46rem; }

.item { display: grid; grid-template-columns: 3.2rem minmax(0, 1fr) auto; column-gap: .8rem;
  padding: .9rem 0 .7rem; border-bottom: 1px solid var(--line); }
.item > .id { font-weight: 650; font-size: .95rem; margin: 0; line-height: inherit; }
.item > .asks { margin: 0; font-weight: 600; }
.item > .told { grid-column: 2 / 4; }
.item p { margin: .2rem 0; }
.item.fails { border-left: 4px solid var(--bad); background: var(--badly); padding-left: .8rem; padding-right: .8rem; }
.how { font-size: .75rem; letter-spacing: .04em; text-transform: uppercase; color: var(--soft); margin-right: .4em; }
.evidence { margin: .55rem 0 .1rem; font-size: .92rem; max-width: none; }
.values { display: flex; flex-wrap: wrap; gap: .25rem .5rem; margin: .3rem 0; padding: 0; list-style: none;
  font-size: .85rem; font-variant-numeric: tabular-nums; }
.values li { background: var(--band); padding: .1rem .55rem; border-left: 3px solid var(--line); }
.values li.good { border-left-color: var(--good); }
.values li.bad { border-left-color: var(--bad); color: var(--bad); font-weight: 600; }
.values .at { color: var(--soft); margin-right: .45em; font-weight: 400; }
.index { display: flex; flex-wrap: wrap; gap: .3rem; margin: .3rem 0 .6rem; padding: 0; list-style: none; font-size: .82rem; }
.index a { display: block; min-width: 3.6em; text-align: center; padding: .1rem .45rem; text-decoration: none;
  border: 1px solid var(--line); color: var(--open); }
.index a.good { color: var(--good); background: var(--goodly); }
.index a.bad { color: var(--paper); background: var(--bad); font-weight: 600; }
.index a.open { border-style: dashed; }
dl.words { display: grid; grid-template-columns: minmax(7rem, auto) 1fr; gap: .35rem 1rem; max-width: 48rem; }
dl.words dt { font-weight: 600; }
dl.words dd { margin: 0; }

@media (max-width: 36rem) {
  body { padding: 1.5rem 1rem 3rem; }
  h2 { margin-top: 2.5rem; }
  details { padding: 0 .7rem; }
  caption span { max-width: calc(100vw - 3rem); }
  details caption span { max-width: calc(100vw - 5.5rem); }
  .item { grid-template-columns: 2.8rem minmax(0, 1fr); }
  .item > .badge { grid-column: 2; justify-self: start; margin: .25rem 0; }
  .item > .told { grid-column: 1 / 3; }
  dl.words { grid-template-columns: 1fr; }
  dl.words dd { margin-bottom: .5rem; }
}
@media print {
  :root { --paper: #fff; --ink: #000; --soft: #444; --line: #bbb; --band: #f3f3f3; color-scheme: light;
    --good: #00523c; --bad: #8a2900; --open: #444; --badly: #fff; --goodly: #fff; }
  body { max-width: none; padding: 0; font-size: 9.5pt; }
  nav { display: none; }
  details::details-content { content-visibility: visible; block-size: auto; }
  details details, .told details { display: none; }
  .scroll, figure .plate { overflow: visible; }
  table { font-size: 7.5pt; }
  th, td { padding: .15rem .35rem; }
  h2, h3, summary { break-after: avoid; }
  .item, figure, tr { break-inside: avoid; }
}
)";
}

}  // namespace zerolab::html
