// Starts `citewhy lsp` and connects the editor with it.

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";

import { executable, options, SELECTOR, startError, type Settings } from "./settings";

let client: LanguageClient | undefined;

function settings(): Settings {
  const section = vscode.workspace.getConfiguration("citewhy");
  return {
    command: section.get<string>("command", "citewhy"),
    libraries: section.get<string[]>("libraries", []),
    claims: section.get<boolean>("claims", false),
  };
}

async function start(): Promise<void> {
  const chosen = settings();
  const server: ServerOptions = executable(chosen);
  const about: LanguageClientOptions = {
    documentSelector: SELECTOR,
    initializationOptions: options(chosen),
    synchronize: { configurationSection: "citewhy" },
  };
  client = new LanguageClient("citewhy", "CiteWhy", server, about);
  try {
    await client.start();
  } catch (error) {
    client = undefined;
    void vscode.window.showErrorMessage(startError(chosen, error));
  }
}

async function stop(): Promise<void> {
  const running = client;
  client = undefined;
  await running?.stop();
}

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  context.subscriptions.push(
    vscode.commands.registerCommand("citewhy.restart", async () => {
      await stop();
      await start();
    }),
    vscode.workspace.onDidChangeConfiguration(async (change) => {
      // The libraries and the command are opened at the start.
      if (change.affectsConfiguration("citewhy.command") || change.affectsConfiguration("citewhy.libraries")) {
        await stop();
        await start();
      }
    }),
  );
  await start();
}

export async function deactivate(): Promise<void> {
  await stop();
}
