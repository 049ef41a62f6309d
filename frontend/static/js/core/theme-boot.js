// Sets the chosen theme before the first paint. A classic script on purpose: modules run too late.
{
  let theme = null
  try {
    theme = localStorage.getItem('studio-theme')
  } catch {
    // Storage may be off: the system's theme is then used.
  }
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
}
