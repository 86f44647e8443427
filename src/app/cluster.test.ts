import { expect, test } from 'bun:test'
import { beatCluster, type Cluster } from './cluster.ts'

test('reports holds to the limits store while the database hangs', async () => {
  const database = Promise.withResolvers<void>()
  let beats = 0
  const countBeat = () => {
    beats += 1
  }
  const cluster = {
    hasCompany: true,
    registry: { beat: () => database.promise },
    admissions: { beat: async () => countBeat() },
  } as unknown as Cluster
  const beating = beatCluster(cluster)
  await Bun.sleep(0)
  expect(beats).toBe(1)
  database.resolve()
  await beating
})
