import type { Sent } from '../../../vocabulary/shape.ts'
import type { SupplyFile } from '../../../vocabulary/supply.ts'
import type { FoundSupplier } from './find-supplier.ts'
import type { Findings } from './findings.ts'
import { type Deployment, referenceOf, textOf } from './read-config.ts'

export type WrittenSupplier = NonNullable<Sent<typeof SupplyFile.draft>['suppliers']>[number]

interface Use {
  readonly deployment: Deployment
  /** Suppliers that the model has routes to already: it can have one to each. */
  readonly taken: readonly string[]
  readonly findings: Findings
}

/**
 * The suppliers that deployments need. Deployments with the same address and the same key share one; those with another
 * key get their own, because every credential of a supplier serves all its routes.
 */
export class SupplierList {
  readonly #suppliers: { readonly identity: string; readonly supplier: WrittenSupplier }[] = []
  readonly #variables = new Map<string, string>()
  /** Which variable stands for which secret of the file. */
  readonly #clearSecrets = new Map<string, string>()

  get all(): WrittenSupplier[] {
    return this.#suppliers.map(({ supplier }) => supplier)
  }

  /** The variables that the supply file refers to, with what they must hold. */
  get variables(): ReadonlyMap<string, string> {
    return this.#variables
  }

  find(found: FoundSupplier, { deployment, taken, findings }: Use): WrittenSupplier {
    const secret = this.#secretOf(found, deployment, findings)
    const identity = JSON.stringify([found.type, found.baseUrl, found.options, secret])
    const known = this.#suppliers.find(
      (other) => other.identity === identity && !taken.includes(other.supplier.id),
    )
    if (known !== undefined) {
      addFormats(known.supplier, found)
      return known.supplier
    }
    const supplier: WrittenSupplier = {
      id: this.#freeId(found.name),
      type: found.type,
      base_url: found.baseUrl,
      ...(found.type === 'openai-compatible' && { formats: [...(found.formats ?? [])] }),
      ...(Object.keys(found.options).length > 0 && { options: found.options }),
      credentials: [{ label: 'litellm', secret }],
    }
    this.#suppliers.push({ identity, supplier })
    return supplier
  }

  #freeId(name: string): string {
    const base = name.toLowerCase().replaceAll(/[^a-z0-9-]+/g, '-')
    const isTaken = (id: string) => this.#suppliers.some(({ supplier }) => supplier.id === id)
    let id = base
    for (let number = 2; isTaken(id); number += 1) id = `${base}-${number}`
    return id
  }

  /** A secret in clear is not copied: the supply file names a variable for it. */
  #secretOf(found: FoundSupplier, { at, params }: Deployment, findings: Findings): string {
    if (found.type === 'bedrock' && textOf(params.aws_access_key_id) !== null)
      return ['aws_access_key_id', 'aws_secret_access_key', 'aws_session_token']
        .filter((name) => textOf(params[name]) !== null)
        .map((name) => this.#reference(textOf(params[name]) ?? '', { at: `${at}.${name}`, findings }))
        .join(':')
    const field = found.type === 'vertex' ? 'vertex_credentials' : 'api_key'
    const key = textOf(params[field])
    if (key === null) return this.#need(found.keyVariable, 'the key that LiteLLM reads from there')
    return this.#reference(key, { at: `${at}.${field}`, findings })
  }

  #reference(value: string, { at, findings }: { at: string; findings: Findings }): string {
    const reference = referenceOf(value)
    if (reference !== null) return this.#need(reference.slice(2, -1), 'as for LiteLLM')
    const known = this.#clearSecrets.get(value)
    if (known !== undefined) return this.#need(known, '')
    const name = `LITELLM_KEY_${this.#clearSecrets.size + 1}`
    this.#clearSecrets.set(value, name)
    findings.changed(at, `A secret in clear is not copied. Set ${name} to it.`)
    return this.#need(name, `the value of ${at}`)
  }

  #need(variable: string, meaning: string): string {
    if (!this.#variables.has(variable)) this.#variables.set(variable, meaning)
    return `\${${variable}}`
  }
}

function addFormats(supplier: WrittenSupplier, { formats }: FoundSupplier): void {
  const known = supplier.formats
  if (known === undefined || formats === null) return
  for (const format of formats) if (!known.includes(format)) (known as string[]).push(format)
}
