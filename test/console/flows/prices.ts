import { expect, test } from 'bun:test'
import { type Stage, TEST_MS } from '../support/stage.ts'
import { leave, press, see } from '../support/visible.ts'

const UPSTREAM = 'llama-3.3-70b-versatile'

/** Prices of routes beside those of the catalog. */
export function describePrices(stage: Stage): void {
  async function addRoute(model: string, settings: object): Promise<void> {
    const supplier = {
      type: 'openai-compatible',
      base_url: 'https://api.groq.com/openai/v1',
      formats: ['chat-completion'],
    }
    await stage.gateway.operator('PUT', '/suppliers/groq', supplier)
    await stage.gateway.operator('PUT', `/models/${model}`, { owned_by: 'meta' })
    const route = { upstream_model: UPSTREAM, ...settings }
    await stage.gateway.operator('PUT', `/models/${model}/routes/groq`, route)
  }

  async function routeOf(model: string) {
    const { data } = await stage.gateway.operator<{ data: Record<string, unknown>[] }>('GET', '/routes')
    return data.find((route) => route.model === model && route.supplier === 'groq')
  }

  test(
    'takes prices from the catalog, now or later, and for all routes that follow it',
    async () => {
      const price = { input: '9', output: '9' }
      await addRoute('llama-now', { price })
      await addRoute('llama-later', { price })
      await addRoute('llama-bare', { price: null, price_source: 'catalog' })
      await addRoute('llama-odd', { price, upstream_model: 'no-such-model' })
      const listed = { input: '0.59', output: '0.79' }

      const visitor = await stage.enter('operator', '/operator/prices')
      const { page } = visitor
      const table = page.getByRole('region', { name: 'Prices' })
      await see(table.getByRole('row', { name: /^llama-bare/ }), 'No price')
      await see(table.getByRole('row', { name: /^llama-odd/ }), 'Unlisted')
      await table.getByRole('button', { name: /^llama-now/ }).click()
      const drawer = page.getByRole('dialog', { name: 'llama-now by groq' })
      await see(drawer.getByRole('row', { name: /^Price › input/ }), '0.59')
      await drawer.getByLabel('Follow the catalog from now on').check()
      await press(drawer, 'Apply now')
      await drawer.waitFor({ state: 'hidden' })
      expect(await routeOf('llama-now')).toMatchObject({ price: listed, price_source: 'catalog' })
      await page.getByLabel('State', { exact: true }).selectOption('same')
      await table.getByRole('button', { name: /^llama-now/ }).waitFor()

      await page.getByLabel('State', { exact: true }).selectOption('changed')
      await table.getByRole('button', { name: /^llama-later/ }).click()
      const later = page.getByRole('dialog', { name: 'llama-later by groq' })
      await later.getByLabel('From, UTC').fill('2099-01-01T00:00')
      await press(later, 'Schedule')
      await later.waitFor({ state: 'hidden' })
      expect(await routeOf('llama-later')).toMatchObject({
        price: { ...price, variants: [{ when: { from: '2099-01-01T00:00:00Z' }, ...listed }] },
        price_source: 'manual',
      })

      await press(page, 'Apply the catalog to 1 route')
      const question = page.getByRole('dialog', { name: 'Apply the catalog to 1 route?' })
      await press(question, 'Apply')
      await see(page, '1 price changed.')
      expect(await routeOf('llama-bare')).toMatchObject({ price: listed })
      await leave(visitor)
    },
    TEST_MS,
  )
}
