import {
  type LocateProblem,
  RefusedSupply,
  type SupplyPath,
  type SupplyProblem,
  type SupplyText,
} from '../../manage/ports/supply-application.ts'
import type { Sent } from '../../vocabulary/shape.ts'
import { Price, type SupplyDocument, SupplyFile } from '../../vocabulary/supply.ts'
import { findProblems } from './find-problems.ts'
import { readYaml } from './read-yaml.ts'

const FILE = SupplyFile.draft
type WrittenSupply = Sent<typeof FILE>

export interface ReadSupply {
  readonly document: SupplyDocument
  /** The suppliers that say `prune: true`. */
  readonly pruneSuppliers: readonly string[]
  /** The variables it refers to. */
  readonly references: readonly string[]
  readonly locate: LocateProblem
}

/** Reads a supply file's text whole, or refuses it with everything that is wrong with it. */
export function readSupply(source: SupplyText): ReadSupply {
  const reading = readYaml(source, isPrice)
  const locate: LocateProblem = (problem) => `${source.name}:${reading.locate(problem)}`
  // A file in which everything is commented out asks for nothing.
  const value = reading.value ?? {}
  const spoilt = new Set(reading.problems.map(({ path }) => JSON.stringify(path)))
  // A value that could not be read is not complained of again for being absent.
  const others = findProblems(FILE.schema, value).filter(({ path }) => !spoilt.has(JSON.stringify(path)))
  const problems = [...reading.problems, ...others]
  if (problems.length === 0) problems.push(...findMissingPrices(value as WrittenSupply))
  if (problems.length > 0) throw new RefusedSupply(problems, source.name, locate)
  const { suppliers, models } = FILE.read(value as WrittenSupply)
  return {
    document: { suppliers: suppliers.map(({ prune: _, ...supplier }) => supplier), models },
    pruneSuppliers: suppliers.filter(({ prune }) => prune).map(({ id }) => id),
    references: reading.references,
    locate,
  }
}

function isPrice(path: SupplyPath): boolean {
  return path.length === 6 && path[0] === 'models' && path[2] === 'routes' && path[4] === 'price'
}

/** Models that write text have a price for tokens; the schema alone cannot say so. */
function findMissingPrices({ models = [] }: WrittenSupply): SupplyProblem[] {
  const { takes } = Price.fields.inputNanoPerMillion.codec.input as { takes?: string }
  return models.flatMap(({ kinds = ['text'], routes = [] }, model) =>
    routes.flatMap(({ price }, route) => {
      if (!price || !kinds.includes('text')) return []
      const missing = (['input', 'output'] as const).filter((name) => price[name] === undefined)
      return missing.map((name) => ({
        path: ['models', model, 'routes', route, 'price', name],
        message: `is missing; it takes ${takes}.`,
      }))
    }),
  )
}
