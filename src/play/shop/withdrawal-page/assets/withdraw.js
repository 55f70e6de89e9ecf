/** The button that prints the receipt: without a script, the menu of the browser does. */
const button = document.querySelector('#print')
if (button instanceof HTMLButtonElement) {
  button.hidden = false
  button.addEventListener('click', () => print())
}
