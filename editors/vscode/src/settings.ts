// What the settings mean for the server, without anything of the editor, so that it is tested alone.

export interface Settings {
  command: string;
  libraries: string[];
  claims: boolean;
}

/** The files that the server answers. */
export const SELECTOR = [
  ...["latex", "tex", "markdown", "quarto", "rmd", "typst", "org", "bibtex"].map((language) => ({
    scheme: "file",
    language,
  })),
  ...["tex", "md", "qmd", "Rmd", "typ", "org", "bib"].map((suffix) => ({
    scheme: "file",
    pattern: `**/*.${suffix}`,
  })),
];

/** How the server is started. */
export function executable(settings: Settings): { command: string; args: string[] } {
  return { command: settings.command.trim() || "citewhy", args: ["lsp"] };
}

/** What the server is told at its start, and when a setting changes. */
export function options(settings: Settings): { libraries: string[]; claims: boolean } {
  return { libraries: settings.libraries.filter((name) => name.trim() !== ""), claims: settings.claims };
}

/** Why the server does not run, and what to do, in one sentence. */
export function startError(settings: Settings, error: unknown): string {
  const { command } = executable(settings);
  const message = error instanceof Error ? error.message : String(error);
  if (/ENOENT|not found|no such file/i.test(message)) {
    return (
      `CiteWhy: the command “${command}” is not there; install it (pip install citewhy), ` +
      "or set citewhy.command to its path."
    );
  }
  return `CiteWhy: “${command} lsp” did not start (${message}); run it in a terminal to see why.`;
}
