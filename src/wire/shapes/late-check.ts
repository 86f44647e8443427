import type { TSchema } from 'typebox'
import { Compile, type Validator } from 'typebox/compile'
import type { TLocalizedValidationError } from 'typebox/error'

/**
 * A schema's check, compiled when it is first used. There are far more endpoints, formats and kinds of parts than one
 * gateway is asked for, and compiling the checks of all of them would be half of its start.
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

  /** What is wrong with a value that does not pass. */
  errors(value: unknown): TLocalizedValidationError[] {
    this.#validator ??= Compile(this.schema)
    return this.#validator.Errors(value)
  }
}
