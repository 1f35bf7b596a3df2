// The server's API: requests with the key, faults as sentences, and streams of events.

const TOKEN = "citewhy.token";

/** A fault with the sentence of the server. */
export class Problem extends Error {
  constructor(fields) {
    super(fields.detail || fields.title || "");
    Object.assign(this, { status: 0, hint: "" }, fields);
  }
}

/** Takes the key from the address, and the draft that it names. */
export function takeToken() {
  const given = new URLSearchParams(location.hash.slice(1));
  if (!given.has("token")) return null;
  localStorage.setItem(TOKEN, given.get("token"));
  history.replaceState(null, "", location.pathname);
  return given.get("draft");
}

/** Keeps the key of a pasted link, or a bare key. */
export function setToken(text) {
  const linked = text.match(/token=([^&\s]+)/);
  localStorage.setItem(TOKEN, linked ? decodeURIComponent(linked[1]) : text.trim());
}

export async function request(path, { method = "GET", json, body, accept = "application/json", signal } = {}) {
  const headers = { Accept: accept };
  const token = localStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  if (json !== undefined) headers["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(`/api/v1${path}`, {
      method,
      headers,
      body: json === undefined ? body : JSON.stringify(json),
      signal,
      cache: "no-store",
      redirect: "error",
    });
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Problem({ status: 0 });
  }
  if (!response.ok) {
    const fields = await response.json().catch(() => ({}));
    throw new Problem({ ...fields, status: response.status, title: fields.title || response.statusText });
  }
  return response;
}

export async function call(path, options) {
  const response = await request(path, options);
  return response.status === 204 ? null : response.json();
}

/** The server-sent events of a path, as {event, data}, until the stream ends. */
export async function* events(path, signal) {
  const response = await request(path, { accept: "text/event-stream", signal });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    rest += value;
    const parts = rest.split(/\r?\n\r?\n/);
    rest = parts.pop();
    for (const part of parts) {
      let event = "message";
      const data = [];
      for (const line of part.split(/\r?\n/)) {
        if (line.startsWith("event:")) event = line.slice(6).trim();
        else if (line.startsWith("data:")) data.push(line.slice(5).trimStart());
      }
      if (data.length) yield { event, data: JSON.parse(data.join("\n")) };
    }
  }
}

/** Hands a response to the browser as a file. */
export async function save(response, name) {
  const given = (response.headers.get("Content-Disposition") || "").match(/filename="?([^";]+)/);
  const link = document.createElement("a");
  link.href = URL.createObjectURL(await response.blob());
  link.download = given ? given[1] : name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
