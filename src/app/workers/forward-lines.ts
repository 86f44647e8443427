/** Forwards the output of a worker in whole lines, each with the worker's slot. */
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

/** Log lines get a field; other output, such as a crash report, gets a prefix. */
function markLines(lines: string, slot: number): string {
  if (!lines.startsWith('{"') || OTHER_LINE.test(lines)) {
    return lines.replaceAll(LINE_START, (start) =>
      start === '{"' ? `{"worker":${slot},"` : `worker ${slot}: ${start}`,
    )
  }
  // Many lines usually come at once, and this is the cheapest way to process them.
  return `{"worker":${slot},${lines.slice(1).replaceAll('\n{"', `\n{"worker":${slot},"`)}`
}

// Not with the `m` flag, which also matches after a line separator inside a message.
const LINE_START = /(?<=^|\n)(?:\{"|[^\n])/g
const OTHER_LINE = /\n(?!\{"|$)/
