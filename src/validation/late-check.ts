import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'

/**
 * A schema's check, compiled when it is first used. There are far more formats and kinds of parts than the clients of one
 * gateway speak, and compiling the checks of all of them would be a third of its start.
 */
export class LateCheck {
  readonly schema: TSchema
  #validator: Validator | null = null

  constructor(schema: TSchema) {
    this.schema = schema
  }

  passes(value: unknown): boolean {
    this.#validator ??= Compile(this.schema)
    return this.#validator.Check(value)
  }
}
