/** Hands on what a worker prints, whole lines at a time, each with the worker's slot. */
export async function forwardLines(
  printed: ReadableStream<Uint8Array>,
  slot: number,
  forward: (text: string) => void,
): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of printed) {
    const text = rest + decoder.decode(bytes, { stream: true })
    const end = text.lastIndexOf('\n') + 1
    rest = text.slice(end)
    if (end > 0) forward(markLines(text.slice(0, end), slot))
  }
  if (rest !== '') forward(markLines(`${rest}\n`, slot))
}

/** Log lines get a field; whatever else a process may print, such as its last words, gets it in front. */
function markLines(lines: string, slot: number): string {
  if (!lines.startsWith('{"') || OTHER_LINE.test(lines)) {
    return lines.replaceAll(LINE_START, (start) =>
      start === '{"' ? `{"worker":${slot},"` : `worker ${slot}: ${start}`,
    )
  }
  // Many lines at once are the usual case, and this is the cheapest way through them.
  return `{"worker":${slot},${lines.slice(1).replaceAll('\n{"', `\n{"worker":${slot},"`)}`
}

// Not by the `m` flag, for which a line also begins after a line separator that is part of a message.
const LINE_START = /(?<=^|\n)(?:\{"|[^\n])/g
const OTHER_LINE = /\n(?!\{"|$)/
