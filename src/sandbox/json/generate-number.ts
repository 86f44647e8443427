import type { Schema } from './schema.ts'

/** The smallest allowed number that looks chosen: `index` steps above the minimum, on the required grid. */
export function generateNumber(schema: Schema, index: number): number {
  const isInteger =
    schema.type === 'integer' || (Array.isArray(schema.type) && schema.type.includes('integer'))
  const grid = asNumber(schema.multipleOf) ?? 1
  const lowest = lowerBound(schema)
  const highest = upperBound(schema)
  if (lowest === null && highest === null) return grid * (index + 1)
  if (lowest === null) return Math.floor((highest ?? 0) / grid) * grid - index * grid
  const onGrid = Math.ceil(lowest / grid) * grid + index * grid
  // Between two bounds closer than the grid only their middle is left.
  if (!isInteger && highest !== null && onGrid > highest) return (lowest + highest) / 2
  return onGrid
}

function lowerBound(schema: Schema): number | null {
  const exclusive = asNumber(schema.exclusiveMinimum)
  return exclusive === null ? asNumber(schema.minimum) : exclusive + smallestStep(schema)
}

function upperBound(schema: Schema): number | null {
  const exclusive = asNumber(schema.exclusiveMaximum)
  return exclusive === null ? asNumber(schema.maximum) : exclusive - smallestStep(schema)
}

function smallestStep(schema: Schema): number {
  return schema.type === 'integer' ? 1 : 1e-6
}

function asNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null
}
