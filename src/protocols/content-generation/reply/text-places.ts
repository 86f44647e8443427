const BLOCK_CHARACTERS = 512

interface Block {
  readonly text: string
  /** Where it begins, in characters and in bytes of UTF-8. */
  readonly start: number
  readonly firstByte: number
}

/** Places in a text as characters and as bytes of UTF-8, without walking the text from its beginning for each. */
export class TextPlaces {
  readonly #blocks: Block[] = []
  length = 0
  byteLength = 0

  /** More of the text. */
  append(text: string): void {
    const last = this.#blocks.pop()
    const all = (last?.text ?? '') + text
    this.length = last?.start ?? this.length
    this.byteLength = last?.firstByte ?? this.byteLength
    for (let from = 0; from < all.length; ) {
      const to = endOfBlock(all, from)
      this.#add(all.slice(from, to))
      from = to
    }
  }

  characterOfByte(byte: number): number {
    const block = this.#find((each) => each.firstByte <= byte)
    if (block === undefined) return 0
    return block.start + Buffer.from(block.text).toString('utf8', 0, byte - block.firstByte).length
  }

  byteOfCharacter(character: number): number {
    const block = this.#find((each) => each.start <= character)
    if (block === undefined) return 0
    return block.firstByte + Buffer.byteLength(block.text.slice(0, character - block.start))
  }

  slice(start: number, end: number): string {
    let text = ''
    let at = this.#indexOf((each) => each.start <= start)
    for (let block = this.#blocks[at]; block !== undefined && block.start < end; block = this.#blocks[++at]) {
      text += block.text.slice(Math.max(0, start - block.start), end - block.start)
    }
    return text
  }

  #add(text: string): void {
    this.#blocks.push({ text, start: this.length, firstByte: this.byteLength })
    this.length += text.length
    this.byteLength += Buffer.byteLength(text)
  }

  #find(isBefore: (block: Block) => boolean): Block | undefined {
    return this.#blocks[this.#indexOf(isBefore)]
  }

  /** The last block for which it is true; it is true of the first and false from some block on. */
  #indexOf(isBefore: (block: Block) => boolean): number {
    let low = 0
    let high = this.#blocks.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      const block = this.#blocks[middle]
      if (block !== undefined && isBefore(block)) low = middle
      else high = middle - 1
    }
    return low
  }
}

/** Never between the two halves of a character beyond the first 65,536. */
function endOfBlock(text: string, from: number): number {
  const end = from + BLOCK_CHARACTERS
  const unit = text.charCodeAt(end - 1)
  return unit >= 0xd800 && unit <= 0xdbff ? end - 1 : Math.min(end, text.length)
}
