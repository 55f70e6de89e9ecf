/** The errors of a form above its buttons: those that no field shows, or all with their places in words. */
import { Icon } from './icon.tsx'
import { describe } from './states.tsx'

export interface FormState {
  /** Messages by JSON pointer. */
  errors: Map<string, string>
  /** Pointers that a field shows. */
  shown: Set<string>
}

/** Rendered after the fields, so that it knows which errors they show. */
export function FormErrors({ error, state: { errors, shown } }: { error: unknown; state: FormState }) {
  const others = [...errors].filter(([pointer]) => !shown.has(pointer))
  // If fields show all errors, the detail would only repeat them.
  if (errors.size > 0 && others.length === 0)
    return (
      <p class="form-error" role="alert">
        <Icon name="alert" />
        <span>Correct the marked {errors.size === 1 ? 'field' : 'fields'}.</span>
      </p>
    )
  return (
    <div class="form-error" role="alert">
      <Icon name="alert" />
      <div>
        <p>{describe(error)}</p>
        {others.length > 0 && (
          <ul>
            {others.map(([pointer, message]) => (
              <li key={pointer}>
                {pointer !== '' && <code>{pointer}</code>} {message}
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  )
}

interface NamedErrorsProps {
  errors: Map<string, string>
  nameOf: (pointer: string) => string
  onGoTo: (pointer: string) => void
}

export const NamedErrors = ({ errors, nameOf, onGoTo }: NamedErrorsProps) => (
  <div class="form-error" role="alert">
    <Icon name="alert" />
    <div>
      <p>Correct {errors.size === 1 ? 'this field' : `these ${errors.size} fields`}:</p>
      <ul>
        {[...errors].map(([pointer, message]) => (
          <li key={pointer}>
            <button type="button" class="link" onClick={() => onGoTo(pointer)}>
              {nameOf(pointer)}
            </button>
            : {message}
          </li>
        ))}
      </ul>
    </div>
  </div>
)
