/** Reads a response piece by piece, so that a test decides how far it goes. */
export class StreamReader {
  readonly #reader: Pick<ReadableStreamDefaultReader<Uint8Array>, 'read'>
  readonly #decoder = new TextDecoder()
  text = ''

  constructor(response: Response) {
    if (response.body === null) throw new Error('the response has no body')
    this.#reader = response.body.getReader()
  }

  /** Reads until the text so far contains this; a stream that ends before is a failure. */
  async readUntil(wanted: string | RegExp): Promise<string> {
    while (!(typeof wanted === 'string' ? this.text.includes(wanted) : wanted.test(this.text))) {
      if (!(await this.#readMore())) throw new Error(`the stream ended without ${wanted}: ${this.text}`)
    }
    return this.text
  }

  async readToEnd(): Promise<string> {
    while (await this.#readMore());
    return this.text
  }

  async #readMore(): Promise<boolean> {
    const { done, value } = await this.#reader.read()
    if (value !== undefined) this.text += this.#decoder.decode(value, { stream: true })
    return !done
  }
}

/** The data of every event of a stream, in order. */
export function eventsOf(text: string): string[] {
  return [...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data ?? '')
}
