/** What a style that is made on the page must carry, so that the browser takes it for ours. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';
