/** A tax rate: one number, or one for each country with that of all others. */
import { Button } from '../../parts/button.tsx'
import { type FieldProps, NumberField, SelectField } from '../../parts/form.tsx'
import { nameOfCountry } from '../../parts/format.ts'
import { COUNTRY_OPTIONS } from './reference-fields.tsx'
import type { Value } from './shapes.ts'
import { type Rates, ratesOf, writtenRates } from './tax-rates.ts'

interface RatesProps extends FieldProps {
  value: Value
  /** Null: there is no rate. */
  onChange: (value: Value) => void
}

export function RatesField({ value, onChange, label, hint, pointer = '', disabled = false }: RatesProps) {
  const rates = ratesOf(value)
  const codes = Object.keys(rates.countries)
  const change = (next: Partial<Rates>) => onChange(writtenRates({ ...rates, ...next }))
  const number = { min: 0, max: 1, step: 'any', disabled } as const
  return (
    <fieldset class="group">
      <legend>{label}</legend>
      {hint && <p class="field-hint">{hint}</p>}
      <div class="group-fields">
        <NumberField
          {...number}
          label={codes.length === 0 ? 'Rate' : 'Rate of all other countries'}
          required={codes.length > 0}
          pointer={pointer}
          value={rates.others}
          onChange={others => change({ others })}
        />
        {codes.map(code => (
          <div key={code} class="price">
            <NumberField
              {...number}
              label={`Rate of ${nameOfCountry(code)}`}
              required
              pointer={`${pointer}/${code}`}
              value={rates.countries[code] ?? null}
              onChange={rate => change({ countries: { ...rates.countries, [code]: rate } })}
            />
            {!disabled && (
              <Button
                kind="plain"
                onClick={() => {
                  const { [code]: _, ...countries } = rates.countries
                  change({ countries })
                }}
              >
                Remove {nameOfCountry(code)}
              </Button>
            )}
          </div>
        ))}
        {!disabled && (
          <SelectField
            label="Another rate for"
            value={null}
            options={COUNTRY_OPTIONS.filter(option => !codes.includes(option.value))}
            onChange={code => change({ countries: { ...rates.countries, [code]: null } })}
          />
        )}
      </div>
    </fieldset>
  )
}
