import { expect, test } from 'bun:test'
import { type IncomingPart, splitParts } from './split-parts.ts'

const BOUNDARY = 'limit-of-parts'
const PARTS = 4
const PART_BYTES = 1_000

function bodyOfParts(): Buffer {
  const part = `--${BOUNDARY}\r\ncontent-disposition: form-data; name="x"\r\n\r\n${'x'.repeat(PART_BYTES)}\r\n`
  return Buffer.from(`${part.repeat(PARTS)}--${BOUNDARY}--\r\n`)
}

/** All of it lies ready, so that nothing but the splitter decides how far it is read. */
async function* cut(body: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.length; at += size) yield body.subarray(at, at + size)
}

/** Takes parts slowly, as a disk does, and refuses the first one as soon as it has read so much of it. */
class SlowTaker {
  readonly #patienceBytes: number
  running = 0
  begun = 0

  constructor(patienceBytes: number) {
    this.#patienceBytes = patienceBytes
  }

  readonly take = async ({ place, content }: IncomingPart): Promise<void> => {
    this.running += 1
    this.begun += 1
    try {
      let bytes = 0
      for await (const piece of content) {
        bytes += piece.length
        if (place === 0 && bytes >= this.#patienceBytes) throw new Error('refused')
        await nextTurn()
      }
    } finally {
      await nextTurn()
      this.running -= 1
    }
  }
}

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

test.each([1, 500, 900, PART_BYTES])(
  'after a part is refused at %i bytes, no part is being read and none starts',
  async (patienceBytes) => {
    const body = bodyOfParts()
    for (let chunkBytes = 40; chunkBytes < body.length; chunkBytes += 13) {
      const taker = new SlowTaker(patienceBytes)
      const split = splitParts(cut(body, chunkBytes), BOUNDARY, taker.take)
      expect(await split.catch(({ message }: Error) => message)).toBe('refused')
      const { begun } = taker
      expect(taker.running).toBe(0)
      for (let turn = 0; turn < 5; turn += 1) await nextTurn()
      expect(taker.begun).toBe(begun)
    }
  },
)
