/** Labels and roles that Swagger UI leaves out. */

const LABELS = {
  'textarea.body-param__text': 'Request body',
  'select.examples-select-element': 'Example',
  'select#servers': 'Server',
}

export function labelFields(root) {
  const label = () => {
    for (const [selector, text] of Object.entries(LABELS))
      for (const field of root.querySelectorAll(`${selector}:not([aria-label])`))
        field.setAttribute('aria-label', text)
  }
  new MutationObserver(label).observe(root, { childList: true, subtree: true })
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
