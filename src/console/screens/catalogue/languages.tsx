/** The languages of a form: tabs of all fields, with the number of missing texts, and the field of a text. */

import type { ComponentChildren } from 'preact'
import { createContext } from 'preact'
import { useContext, useState } from 'preact/hooks'
import { Button } from '../../parts/button.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { FieldFrame, type FieldProps, Form, SelectField, useField } from '../../parts/form.tsx'
import { nameOfLanguage } from '../../parts/format.ts'
import { Tabs } from '../../parts/tabs.tsx'
import type { Schema } from './shapes.ts'
import { countMissing, defaultOf, inLanguage, languagesOf, listTexts, type Text, writeIn } from './texts.ts'

/** The language that the fields show, and the first one of the club, in which texts without languages are. */
export interface FormLanguage {
  language: string
  first: string
}

export const CurrentLanguage = createContext<FormLanguage>({ language: 'en', first: 'en' })

const RIGHT_TO_LEFT = /^(ar|fa|he|ur)\b/
/** Of an empty field, which has no letters yet. */
export const directionOf = (language: string, text: string) =>
  text === '' && RIGHT_TO_LEFT.test(language) ? 'rtl' : 'auto'

interface TabsProps {
  schema: Schema
  draft: unknown
  /** Languages of the catalogue, the first of the club first. */
  known: string[]
  current: string
  onChange: (language: string) => void
  mayAdd: boolean
  children: ComponentChildren
}

export function LanguageTabs({ schema, draft, known, current, onChange, mayAdd, children }: TabsProps) {
  const [isAdding, setAdding] = useState(false)
  const [first = 'en'] = known
  const texts = listTexts(schema, draft, '')
  if (texts.length === 0) return children
  const languages = languagesOf(texts, [...known, current])
  return (
    <div class="form-languages">
      <Tabs
        label="Languages"
        current={current}
        onChange={onChange}
        tabs={languages.map(language => {
          const missing = countMissing(texts, language, first)
          return {
            id: language,
            title: nameOfLanguage(language),
            note: missing === 0 ? 'complete' : `${missing} missing`,
            tone: missing === 0 ? 'good' : 'warn',
          }
        })}
        after={
          mayAdd && (
            <Button small kind="quiet" icon="add" onClick={() => setAdding(true)}>
              Language
            </Button>
          )
        }
      >
        {children}
      </Tabs>
      {isAdding && (
        <AddLanguage
          without={languages}
          onClose={() => setAdding(false)}
          onAdd={language => {
            onChange(language)
            setAdding(false)
          }}
        />
      )}
    </div>
  )
}

/** Of apps for fans; others are added in the JSON of an entry. */
const OFFERED =
  'ar bg ca cs da de el en en-GB en-US es es-MX et eu fa fi fr fr-CA ga gl he hi hr hu id is it ja ko lt lv ms mt nb nl pl pt pt-BR ro sk sl sq sr sv sw th tr uk ur vi zh-Hans zh-Hant'

interface AddProps {
  without: string[]
  onAdd: (language: string) => void
  onClose: () => void
}

function AddLanguage({ without, onAdd, onClose }: AddProps) {
  const [chosen, setChosen] = useState<string | null>(null)
  const options = OFFERED.split(' ')
    .filter(tag => !without.includes(tag))
    .map(value => ({ value, title: nameOfLanguage(value) }))
    .toSorted((a, b) => a.title.localeCompare(b.title))
  return (
    <Dialog title="Add a language" onClose={onClose}>
      <Form
        action={{ isBusy: false, error: null }}
        onSubmit={() => chosen !== null && onAdd(chosen)}
        foot={
          <>
            <Button onClick={onClose}>Cancel</Button>
            <Button submit kind="primary" blocked={chosen === null && 'Choose a language first.'}>
              Add
            </Button>
          </>
        }
      >
        <SelectField label="Language" required value={chosen} options={options} onChange={setChosen} />
      </Form>
    </Dialog>
  )
}

interface TextProps extends FieldProps {
  value: Text
  onChange: (value: Text) => void
  lines: boolean
  max: number | undefined
}

/** A text in the language of the form. Other languages show the default text, which fans read until there is one. */
export function LanguageField({ value, onChange, lines, max, ...field }: TextProps) {
  const { language, first } = useContext(CurrentLanguage)
  const written = inLanguage(value, language, first) ?? ''
  const isDefault = typeof value === 'string' ? language === first : Object.keys(value)[0] === language
  const isEmpty = defaultOf(value) === ''
  const { pointer } = field
  const { id, error, control } = useField({
    ...field,
    required: field.required === true && (isDefault || isEmpty),
    pointer: pointer && `${pointer}/${language}`,
  })
  const Control = lines ? 'textarea' : 'input'
  const count = max === undefined ? undefined : `${[...written].length} / ${max}`
  return (
    <FieldFrame
      {...field}
      id={id}
      error={error}
      count={lines ? count : undefined}
      required={field.required === true && (isDefault || isEmpty)}
      badge={<span class="language-mark">{language}</span>}
    >
      <Control
        {...control}
        lang={language}
        dir={directionOf(language, written)}
        rows={lines ? 4 : undefined}
        maxLength={max}
        value={written}
        placeholder={isDefault ? undefined : defaultOf(value)}
        onInput={(event: Event & { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
          onChange(writeIn(value, language, first, event.currentTarget.value))
        }
      />
    </FieldFrame>
  )
}
