import {
  type LocateProblem,
  RefusedSupply,
  type SupplyPath,
  type SupplyText,
} from '../../gateway/ports/supply-application.ts'
import type { SupplyDocument } from '../../vocabulary/supply-document.ts'
import { decodeSupply } from './decode-supply.ts'
import { findProblems } from './find-problems.ts'
import { readYaml } from './read-yaml.ts'
import { SupplyFile, type WrittenSupply } from './schema.ts'

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
  const others = findProblems(SupplyFile, value).filter(({ path }) => !spoilt.has(JSON.stringify(path)))
  const problems = [...reading.problems, ...others]
  if (problems.length > 0) throw new RefusedSupply(problems, source.name, locate)
  const written = value as WrittenSupply
  const pruned = (written.suppliers ?? []).filter(({ prune }) => prune === true)
  return {
    document: decodeSupply(written),
    pruneSuppliers: pruned.map(({ id }) => id),
    references: reading.references,
    locate,
  }
}

function isPrice(path: SupplyPath): boolean {
  return path.length === 6 && path[0] === 'models' && path[2] === 'routes' && path[4] === 'price'
}
