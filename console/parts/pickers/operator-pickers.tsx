import {
  ACCOUNTS_KEY,
  accountCall,
  KEYS,
  MODELS_KEY,
  OPERATOR,
  useAccountNames,
  useAnyKeyNames,
} from '../../api/operator.ts'
import type { Account, ApiKey, CatalogModel } from '../../api/wire.ts'
import { SearchSelect, type SearchSelectProps } from './search-select.tsx'

type PickerProps<T> = Omit<SearchSelectProps<T>, 'noun' | 'source' | 'nameOf'>

const ACCOUNTS = {
  key: ACCOUNTS_KEY,
  path: `${OPERATOR}/accounts`,
  query: { sort: 'name' },
  choiceOf: ({ id, name, email }: Account) => ({ value: id, label: name, hint: email }),
}

/** Chooses an account by its name, e-mail address or id. */
export function AccountPicker(props: PickerProps<Account>) {
  return (
    <SearchSelect
      placeholder="All accounts"
      {...props}
      noun="account"
      source={ACCOUNTS}
      nameOf={useAccountNames()}
    />
  )
}

export interface AnyKeyPickerProps extends PickerProps<ApiKey> {
  /** Only keys of this account; empty for those of all accounts. */
  readonly account: string
}

/** Chooses a key of one or all accounts by its name, last characters or id. */
export function AnyKeyPicker({ account, ...props }: AnyKeyPickerProps) {
  const accountName = useAccountNames()
  const source = {
    key: ['operator', 'keys', account],
    path: account === '' ? KEYS : accountCall(account, '/keys'),
    query: { sort: 'name' },
    choiceOf: ({ id, name, account_id, last_four }: ApiKey) => ({
      value: id,
      label: name,
      hint: account === '' ? accountName(account_id) : `…${last_four ?? ''}`,
    }),
  }
  return (
    <SearchSelect placeholder="All keys" {...props} noun="key" source={source} nameOf={useAnyKeyNames()} />
  )
}

const MODELS = {
  key: MODELS_KEY,
  path: `${OPERATOR}/models`,
  query: { sort: 'id' },
  choiceOf: ({ id, display_name }: CatalogModel) => ({
    value: id,
    label: id,
    hint: display_name === id ? null : display_name,
  }),
}

/** Chooses a model of the catalog by its id, name or maker. */
export function CatalogModelPicker(props: PickerProps<CatalogModel>) {
  return <SearchSelect placeholder="All models" {...props} noun="model" source={MODELS} nameOf={(id) => id} />
}
