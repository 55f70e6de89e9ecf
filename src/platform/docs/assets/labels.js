/** Labels and roles that Swagger UI leaves out. */

const LABELS = {
  'textarea.body-param__text': 'Request body',
  'select.examples-select-element': 'Example',
  'select#servers': 'Server',
  'button.close-modal': 'Close',
}

/** Labels that differ from the text of the button, so that who says what they see finds no button. */
const MISLABELLED = '.auth-btn-wrapper button[aria-label]'

export function labelFields(root) {
  const label = () => {
    for (const [selector, text] of Object.entries(LABELS))
      for (const field of root.querySelectorAll(`${selector}:not([aria-label])`))
        field.setAttribute('aria-label', text)
    for (const button of root.querySelectorAll(MISLABELLED)) button.removeAttribute('aria-label')
    // Long examples and responses scroll, also with the keyboard.
    for (const code of root.querySelectorAll('pre.microlight:not([tabindex])')) code.tabIndex = 0
  }
  new MutationObserver(() => {
    label()
    for (const dialog of root.querySelectorAll('.modal-ux:not([role])')) openDialog(dialog)
  }).observe(root, { childList: true, subtree: true })
}

/** Swagger UI focuses the last field, so that the first way to authorize is out of sight. */
function openDialog(dialog) {
  dialog.setAttribute('role', 'dialog')
  dialog.setAttribute('aria-modal', 'true')
  dialog.setAttribute('aria-label', 'Authorize')
  dialog.querySelector('.modal-ux-content :is(input, button)')?.focus()
  dialog.querySelector('.modal-ux-content')?.scrollTo(0, 0)
}

/** The path of an operation is inside the button that opens it, and a button must not contain a link. */
export const labelsPlugin = ({ React }) => ({
  wrapComponents: {
    DeepLink:
      () =>
      ({ text }) =>
        React.createElement('span', null, text),
  },
})
