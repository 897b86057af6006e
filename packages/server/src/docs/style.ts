/** Text colours have a contrast of at least 4.5 to their background, light and dark. */
export const STYLE = `:root {
  color-scheme: light dark;
  --page: #ffffff; --panel: #f5f7fa; --line: #d8dee6; --text: #1d2733; --quiet: #556270;
  --link: #0b57a4; --get: #0b6b3a; --post: #0b57a4; --delete: #a32020; --mark: #8a3b00; --target: #fff4d6;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #12171d; --panel: #1a212a; --line: #323d4a; --text: #e3e9f0; --quiet: #a3b0be;
    --link: #7ab7ff; --get: #69d39a; --post: #7ab7ff; --delete: #ff9a94; --mark: #f5b26b; --target: #3a3216;
  }
}
* { box-sizing: border-box; }
html { scroll-padding-top: 4rem; }
body {
  margin: 0; background: var(--page); color: var(--text);
  font: 16px/1.55 system-ui, sans-serif;
  display: grid; grid-template-columns: 17rem minmax(0, 1fr); grid-template-areas: "head head" "nav main";
}
a { color: var(--link); text-underline-offset: 0.15em; }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }
.skip { position: absolute; left: -100rem; }
.skip:focus { left: 1rem; top: 0.5rem; z-index: 3; background: var(--page); padding: 0.25rem 0.75rem; }
header {
  grid-area: head; position: sticky; top: 0; z-index: 2; display: flex; justify-content: space-between;
  gap: 1rem; padding: 0.6rem 1.5rem; background: var(--panel); border-bottom: 1px solid var(--line);
}
header p { margin: 0; }
.brand a { color: var(--text); font-weight: 700; text-decoration: none; }
.brand span { color: var(--quiet); margin-left: 0.5rem; }
nav {
  grid-area: nav; position: sticky; top: 3rem; align-self: start; max-height: calc(100vh - 3rem);
  overflow-y: auto; padding: 0.5rem 1rem 2rem 1.5rem; border-right: 1px solid var(--line); font-size: 0.9rem;
}
nav .group { font-size: 0.8rem; font-weight: 650; margin: 1.2rem 0 0.3rem; color: var(--quiet); }
nav ul { list-style: none; margin: 0; padding: 0; }
nav li { margin: 0; }
nav a { display: block; padding: 0.2rem 0; text-decoration: none; color: var(--text); }
nav a:hover { color: var(--link); text-decoration: underline; }
main { grid-area: main; padding: 1rem 2.5rem 6rem; max-width: 62rem; }
h1 { font-size: 1.9rem; line-height: 1.2; margin: 1rem 0; }
h2 { font-size: 1.5rem; line-height: 1.25; margin: 3.5rem 0 0.5rem; border-bottom: 1px solid var(--line); padding-bottom: 0.3rem; }
h3 { font-size: 1.15rem; margin: 0 0 0.4rem; }
p { margin: 0.5rem 0; max-width: 46rem; }
section section { padding: 1.6rem 0 1rem; }
section section + section { border-top: 1px solid var(--line); }
section:target > h2, section:target > h3, tr:target { background: var(--target); }
code, pre { font: 0.875em/1.5 ui-monospace, monospace; }
.endpoint { display: flex; flex-wrap: wrap; gap: 0.6rem; align-items: baseline; overflow-wrap: anywhere; }
.endpoint code { font-size: 1rem; }
.method {
  font: 700 0.8rem/1 ui-monospace, monospace; padding: 0.3rem 0.5rem; border: 1px solid currentColor;
  border-radius: 0.3rem;
}
.get { color: var(--get); } .post { color: var(--post); } .delete { color: var(--delete); }
.facts { color: var(--quiet); font-size: 0.925rem; }
.required { color: var(--mark); font-size: 0.8rem; font-weight: 600; }
table { width: 100%; border-collapse: collapse; margin: 1rem 0; font-size: 0.925rem; table-layout: fixed; }
caption { text-align: left; font-weight: 650; padding-bottom: 0.3rem; }
th, td { text-align: left; vertical-align: top; padding: 0.4rem 0.8rem 0.4rem 0; overflow-wrap: anywhere; }
thead th { color: var(--quiet); font-weight: 500; font-size: 0.85rem; border-bottom: 1px solid var(--line); }
tbody th { font-weight: 400; }
tbody tr + tr > * { border-top: 1px solid var(--line); }
thead th:nth-child(1) { width: 28%; }
thead th:nth-child(2) { width: 24%; }
.errors thead th:nth-child(1) { width: 32%; }
em { color: var(--quiet); font-style: normal; }
figure { margin: 1rem 0; }
figcaption { font-weight: 650; font-size: 0.925rem; margin-bottom: 0.3rem; }
pre {
  margin: 0; padding: 0.8rem 1rem; background: var(--panel); border: 1px solid var(--line); border-radius: 0.4rem;
  overflow: auto; max-height: 26rem;
}
@media (max-width: 52rem) {
  body { display: block; }
  header { position: static; padding: 0.6rem 1rem; }
  html { scroll-padding-top: 0.5rem; }
  nav { position: static; max-height: 16rem; border: 0; border-bottom: 1px solid var(--line); padding: 0 1rem 1rem; }
  main { padding: 0.5rem 1rem 4rem; }
  thead { display: none; }
  table, caption, tbody, tr, tbody th, td { display: block; width: 100%; }
  tbody tr { padding: 0.5rem 0; border-top: 1px solid var(--line); }
  tbody tr > *, tbody tr + tr > * { border: 0; padding: 0.1rem 0; }
}
@media print { nav, .skip { display: none; } body { display: block; } pre { max-height: none; } }
`
