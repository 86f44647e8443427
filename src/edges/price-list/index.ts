import { calcPrice } from '@pydantic/genai-prices'
import packageJson from '../../../package.json' with { type: 'json' }
import type { ListedPrice, PriceList, PriceQuery } from '../../manage/ports/prices.ts'
import { priceSince } from '../../rules/ledger/combine-prices.ts'
import { convertPrice } from './convert-price.ts'
import { isOfEarlierVersion, listNameOf } from './list-name.ts'

/**
 * The prices of the npm package genai-prices, as they were when it was released: nothing is fetched. It takes almost a
 * megabyte, so this module is only loaded when prices are compared.
 */
export const priceList: PriceList = {
  version: packageJson.devDependencies['@pydantic/genai-prices'],
  find: findPrice,
}

function findPrice({ supplier, upstreamModel, nowMs }: PriceQuery): ListedPrice | null {
  const name = listNameOf({ supplier, upstreamModel })
  if (name === null) return null
  const { providerId, model: asked } = name
  const found = calcPrice({}, asked, { providerId })
  if (found === null || isOfEarlierVersion(asked, found.model.match)) return null
  const converted = convertPrice(found.model.prices)
  if (converted === null) return null
  return {
    price: priceSince(converted.price, nowMs),
    source: 'genai-prices',
    listedAs: `${providerId}:${found.model.id}`,
    leftOut: converted.leftOut,
  }
}
