/** The application's types refer to Bun's Worker, which the DOM's declaration hides here. */
interface Worker {
  unref(): void
}
