/** Unformatted text, such as a message or a response, in a box that can be scrolled by keyboard too. */
export const Payload = ({ label, text }: { label: string; text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, the keyboard cannot scroll
  <section class="payload" tabIndex={0} aria-label={label}>
    <code>{text}</code>
  </section>
)
