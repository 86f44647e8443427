import { SQL } from 'bun'

/** A database of its own on the test server, dropped at the end; null when the tests have no PostgreSQL. */
export async function makeDatabase(): Promise<{ url: string; drop(): Promise<void> } | null> {
  const serverUrl = process.env.TEST_DATABASE_URL
  if (!serverUrl) return null
  const name = `robust_${crypto.randomUUID().replaceAll('-', '')}`
  await runOn(serverUrl, `create database ${name}`)
  const url = new URL(serverUrl)
  url.pathname = `/${name}`
  return { url: url.href, drop: () => runOn(serverUrl, `drop database ${name} with (force)`) }
}

async function runOn(url: string, statement: string): Promise<void> {
  const sql = new SQL(url, { max: 1 })
  try {
    await sql.unsafe(statement)
  } finally {
    await sql.close()
  }
}
