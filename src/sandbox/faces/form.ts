export interface UploadedFile {
  readonly name: string
  /** As the caller calls it. */
  readonly type: string
  readonly bytes: Uint8Array
}

type FormValue = string | UploadedFile

/** A body of named values, each of which may come several times. */
export class Form {
  readonly #values = new Map<string, FormValue[]>()

  add(name: string, value: FormValue): void {
    const values = this.#values.get(name)
    if (values === undefined) this.#values.set(name, [value])
    else values.push(value)
  }

  names(): readonly string[] {
    return [...this.#values.keys()]
  }

  all(name: string): readonly FormValue[] {
    return this.#values.get(name) ?? []
  }

  /** As the call log shows it: files by their size only. */
  describe(): Readonly<Record<string, readonly unknown[]>> {
    const entries = [...this.#values].map(([name, values]) => [name, values.map(describeValue)] as const)
    return Object.fromEntries(entries)
  }
}

function describeValue(value: FormValue): unknown {
  return typeof value === 'string' ? value : { name: value.name, type: value.type, bytes: value.bytes.length }
}
