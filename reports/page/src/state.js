// The page's state lives in the URL's hash, so that a link or a reload shows the same view. Only what differs
// from the defaults is written. All values are strings.

function fromHash(defaults) {
  const state = {...defaults};
  for (const [key, value] of new URLSearchParams(location.hash.slice(1))) {
    if (key in defaults) state[key] = value;
  }
  return state;
}

function toHash(state, defaults) {
  const pairs = new URLSearchParams();
  for (const key of Object.keys(defaults)) {
    if (state[key] !== defaults[key]) pairs.set(key, state[key]);
  }
  return pairs.toString();
}

// `accept(state)` returns the state with anything the data does not know replaced by its default; `follow(point)`
// gives what changes along with the selected point.
export function createStore(defaults, accept, follow) {
  let state = accept(fromHash(defaults));
  const listeners = [];
  const publish = (next) => {
    const previous = state;
    state = next;
    for (const listener of listeners) listener(state, previous);
  };
  window.addEventListener('hashchange', () => publish(accept(fromHash(defaults))));
  return {
    get: () => state,
    set(change) {
      const next = {...state, ...change};
      const hash = toHash(next, defaults);
      // replaceState fires no hashchange event, and leaves the back button alone.
      history.replaceState(null, '', hash ? `#${hash}` : location.pathname + location.search);
      publish(next);
    },
    choose(index) {
      this.set({point: String(index), ...follow(index)});
    },
    toggle(index) {
      if (state.point === String(index)) this.set({point: ''});
      else this.choose(index);
    },
    listen: (listener) => listeners.push(listener),
  };
}
