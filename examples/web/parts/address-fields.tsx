/** The address of an order, with the field names of the browser's autofill. */
import type { Order, ShippingAddress } from '../api.ts'
import { countryNames, text } from '../lang/lang.ts'

const FIELDS = [
  { name: 'name', autocomplete: 'name', maxLength: 100, required: true },
  { name: 'line1', autocomplete: 'address-line1', maxLength: 100, required: true },
  { name: 'line2', autocomplete: 'address-line2', maxLength: 100, required: false },
  { name: 'postalCode', autocomplete: 'postal-code', maxLength: 20, required: false },
  { name: 'city', autocomplete: 'address-level2', maxLength: 100, required: true },
  { name: 'region', autocomplete: 'address-level1', maxLength: 100, required: false },
  { name: 'phone', autocomplete: 'tel', maxLength: 30, required: false },
] as const

export function readAddress(form: HTMLFormElement): ShippingAddress {
  const fields = new FormData(form)
  const read = (name: string) => String(fields.get(name) ?? '').trim()
  const optional = (name: string) => read(name) || null
  return {
    name: read('name'),
    line1: read('line1'),
    line2: optional('line2'),
    city: read('city'),
    region: optional('region'),
    postalCode: optional('postalCode'),
    country: read('country'),
    phone: optional('phone'),
  }
}

interface AddressFieldsProps {
  /** The address of the last order. */
  address: Order['address']
  country: string
  onCountry: (country: string) => void
  /** Names of the fields that the server refused. */
  invalid: string[]
  hint: string | null
}

export const AddressFields = ({ address, country, onCountry, invalid, hint }: AddressFieldsProps) => (
  <fieldset class="form panel">
    <legend>{text.shop.address}</legend>
    {hint && <p class="quiet">{hint}</p>}
    {FIELDS.map(({ name, ...input }) => (
      <div key={name}>
        <label>
          <span>{text.shop.fields[name]}</span>
          <input
            name={name}
            {...input}
            defaultValue={address?.[name] ?? ''}
            aria-invalid={invalid.includes(name)}
            aria-describedby={invalid.includes(name) ? `${name}-fault` : undefined}
          />
        </label>
        {invalid.includes(name) && (
          <small id={`${name}-fault`} class="fault">
            {text.shop.checkField}
          </small>
        )}
      </div>
    ))}
    <div>
      <label>
        <span>{text.shop.fields.country}</span>
        <select
          name="country"
          autocomplete="country"
          required
          value={country}
          onChange={event => onCountry(event.currentTarget.value)}
        >
          <option value="" />
          {countryNames().map(({ code, name }) => (
            <option key={code} value={code}>
              {name}
            </option>
          ))}
        </select>
      </label>
    </div>
  </fieldset>
)
