// Files and folders that are dropped on the page, with their names below what was dropped.

const WANTED = /\.(tex|ltx|bib|bbl|md|markdown|qmd|rmd|typ|org|txt|ya?ml|json|toml|sty|cls|zip)$/i;
const MOST = 2000;

export async function droppedFiles(transfer) {
  const entries = [...transfer.items].map((item) => item.webkitGetAsEntry?.()).filter(Boolean);
  if (!entries.some((entry) => entry.isDirectory)) return [...transfer.files].map((file) => [file.name, file]);
  const found = [];
  for (const entry of entries) await walk(entry, "", found);
  return found;
}

async function walk(entry, above, found) {
  if (found.length >= MOST || entry.name.startsWith(".")) return;
  const name = above ? `${above}/${entry.name}` : entry.name;
  if (entry.isFile) {
    if (WANTED.test(entry.name)) found.push([name, await new Promise((done, failed) => entry.file(done, failed))]);
    return;
  }
  const reader = entry.createReader();
  for (;;) {
    const some = await new Promise((done, failed) => reader.readEntries(done, failed));
    if (!some.length) return;
    for (const inner of some) await walk(inner, name, found);
  }
}
