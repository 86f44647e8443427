import { LINE_START } from '../../edges/telemetry/pino-log.ts'

const LINE_END = 10
const LOG_LINE = Buffer.from(LINE_START)

/**
 * Forwards the output of a worker in whole lines. Its log lines name its slot and are passed on as they are; other output,
 * such as a crash report, gets the slot as a prefix.
 */
export async function forwardLines(
  printed: ReadableStream<Uint8Array>,
  slot: number,
  forward: (lines: Uint8Array) => void,
): Promise<void> {
  const prefix = Buffer.from(`worker ${slot}: `)
  let rest: Uint8Array = new Uint8Array()
  for await (const bytes of printed) {
    const unforwarded = rest.length === 0 ? bytes : Buffer.concat([rest, bytes])
    const end = unforwarded.lastIndexOf(LINE_END) + 1
    rest = unforwarded.subarray(end)
    if (end > 0) forward(markLines(unforwarded.subarray(0, end), prefix))
  }
  if (rest.length > 0) forward(markLines(Buffer.concat([rest, Uint8Array.of(LINE_END)]), prefix))
}

function markLines(lines: Uint8Array, prefix: Uint8Array): Uint8Array {
  const pieces: Uint8Array[] = []
  let unmarkedAt = 0
  for (let start = 0; start < lines.length; start = lines.indexOf(LINE_END, start) + 1) {
    if (lines[start] === LINE_END || isLogLine(lines, start)) continue
    pieces.push(lines.subarray(unmarkedAt, start), prefix)
    unmarkedAt = start
  }
  return pieces.length === 0 ? lines : Buffer.concat([...pieces, lines.subarray(unmarkedAt)])
}

function isLogLine(lines: Uint8Array, start: number): boolean {
  for (let place = 0; place < LOG_LINE.length; place += 1) {
    if (lines[start + place] !== LOG_LINE[place]) return false
  }
  return true
}
