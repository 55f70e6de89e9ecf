/** Text of a machine, such as a message or a response: as it is, in a box that scrolls, also by keyboard. */
export const Payload = ({ label, text }: { label: string; text: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: without it, the keyboard cannot scroll
  <section class="payload" tabIndex={0} aria-label={label}>
    <code>{text}</code>
  </section>
)
