-- The undo of a push (decisions/043-undo.md) is a push of its own kind, which tells it from others in the history.
alter type push_kind add value 'undo';
